/**
 * git's paths are bytes; ours are strings. Valid UTF-8 stays as it is; any other byte becomes a lone surrogate
 * U+DC80…U+DCFF (like Python's surrogateescape), so that every path converts back to the same bytes. JSON writes a lone
 * surrogate as `\udcXX`; SQLite's text cannot store one: see pathKey in store/state.ts.
 */
const strict = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodePath(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeOddPath(bytes);
  }
}

function decodeOddPath(bytes: Buffer): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      text += bytes.toString("utf8", at, at + length);
      at += length;
    } else {
      text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at += 1;
    }
  }
  return text;
}

/** Length of the valid UTF-8 sequence at `at`; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}

/** The bytes of a path for git and the file system. */
export function encodePath(path: string): Buffer {
  if (!/[\udc80-\udcff]/.test(path)) return Buffer.from(path, "utf8");
  const parts: Buffer[] = [];
  for (const char of path) {
    const code = char.codePointAt(0) ?? 0;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(char, "utf8"));
  }
  return Buffer.concat(parts);
}
