/**
 * js-yaml through cosmiconfig, which is a dependency anyway. undefined if the text is not YAML, null if it is empty.
 */
export async function parseYaml(text: string): Promise<unknown> {
  const { defaultLoaders } = (await import("cosmiconfig")).default;
  try {
    return (await defaultLoaders[".yaml"]("a file", text)) ?? null;
  } catch {
    return undefined;
  }
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether both hold the same; false where that is too much to look at: ten lines of YAML aliases can stand for a billion values. */
export function sameData(a: unknown, b: unknown): boolean {
  return isSmall(a) && isSmall(b) && JSON.stringify(a) === JSON.stringify(b);
}

const MOST_VALUES = 100_000;

function isSmall(value: unknown): boolean {
  const open = [value];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen + open.length > MOST_VALUES) return false;
    const next = open.pop();
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return true;
}

/**
 * YAML is edited as text, so that comments and layout stay; callers check the result. Returns where a list's first item
 * starts, and its indentation: after the line of its key, in `region`. null if the list is not one item per line.
 */
export function firstItem(text: string, key: RegExp, region: [number, number]): { at: number; indent: string } | null {
  const found = key.exec(text.slice(...region));
  if (found === null) return null;
  const start = region[0] + found.index + found[0].length;
  const line = firstLine(text, start);
  const item = line === null ? null : /^([ \t]*)-[ \t]/.exec(line.text);
  return line === null || item === null ? null : { at: line.at, indent: item[1] ?? "" };
}

/** The first line from `start` on that is neither empty nor a comment. */
export function firstLine(text: string, start: number): { at: number; text: string } | null {
  for (let at = start; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? undefined : end);
    if (!/^\s*(#.*)?$/.test(line)) return { at, text: line };
    if (end < 0) return null;
    at = end + 1;
  }
  return null;
}
