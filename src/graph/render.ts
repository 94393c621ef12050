import type { canonicalHead } from "./pieces.js";

/** The texts of artefacts, in parts: equal bytes to JSON.stringify of the whole, with two spaces. */

type Brackets = "[]" | "{}";

/** A list or an object at the second level of a file, from the texts of its elements; an empty text is none. */
export function* renderList(texts: Iterable<Buffer>, brackets: Brackets): Generator<Buffer> {
  let start = `${brackets[0]}\n`;
  let isEmpty = true;
  for (const text of texts) {
    if (text.length === 0) continue;
    yield Buffer.from(start);
    yield text;
    start = ",\n";
    isEmpty = false;
  }
  yield Buffer.from(isEmpty ? brackets : `\n  ${brackets[1]}`);
}

export function* renderGraph(
  head: ReturnType<typeof canonicalHead>,
  listOf: (list: "nodes" | "edges") => Iterable<Buffer>,
): Generator<Buffer> {
  let start = "{\n";
  for (const [key, value] of Object.entries(head)) {
    if (value === undefined) continue;
    yield Buffer.from(`${start}  ${JSON.stringify(key)}: `);
    start = ",\n";
    if (key === "nodes" || key === "edges") yield* renderList(listOf(key), "[]");
    else {
      const text = JSON.stringify({ value }, null, 2);
      yield Buffer.from(text.slice(text.indexOf(":") + 2, text.lastIndexOf("\n")));
    }
  }
  yield Buffer.from("\n}\n");
}

/** `entries`: the text of each, as `entryText` gives it. */
export function* renderFingerprints(
  { version, commit, at }: { version: unknown; commit: string; at: unknown },
  entries: Iterable<Buffer>,
): Generator<Buffer> {
  const header = JSON.stringify({ version, gitCommitHash: commit, generatedAt: at }, null, 2);
  yield Buffer.from(`${header.slice(0, -2)},\n  "files": `);
  yield* renderList(entries, "{}");
  yield Buffer.from("\n}\n");
}

/** `"path": { … }`, as it stands in the file. */
export function entryText(path: string, entry: object): string {
  const text = JSON.stringify({ files: { [path]: entry } }, null, 2);
  return text.slice(text.indexOf("{\n", 2) + 2, text.lastIndexOf("\n  }"));
}
