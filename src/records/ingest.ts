import { bad, parseObject } from "./jsonl.js";
import type { NamedSubject } from "./subject.js";
import { MOST_CHARACTERS, type RecordType, TYPES } from "./types.js";

/** The statements of an external system, for a refresh. */
export interface Ingested {
  type: RecordType;
  statement: string;
  subjects: NamedSubject[];
  confidence: number;
}

/**
 * `{"key": …, "type": …, "statement": …, "subjects": ["src/a.ts", "src/a.ts#retry", "src/queue/"], "confidence"?: …}`
 * per line. The key is the system's own id; the next ingest finds the record by it.
 */
export function parseIngest(text: string, file: string): Map<string, Ingested> {
  const found = new Map<string, Ingested>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const where = `${file}, line ${at + 1}`;
    const { key, type, statement, subjects = [], confidence = 0.5 } = parseObject(line, where);
    const known = TYPES.find((one) => one === type);
    if (typeof key !== "string" || key === "") throw bad(where, '"key" must be a string');
    if (known === undefined) throw bad(where, `"type" must be one of ${TYPES.join(", ")}`);
    if (typeof statement !== "string" || statement.trim() === "" || [...statement].length > MOST_CHARACTERS) {
      throw bad(where, `"statement" must be a string of at most ${MOST_CHARACTERS} characters`);
    }
    if (!Array.isArray(subjects)) throw bad(where, '"subjects" must be a list of strings');
    if (typeof confidence !== "number") throw bad(where, '"confidence" must be a number');
    found.set(key, { type: known, statement, subjects: subjects.map((one) => toNamed(one, where)), confidence });
  }
  return found;
}

function toNamed(text: unknown, where: string): NamedSubject {
  if (typeof text !== "string" || text.startsWith("/") || text.split("/").includes("..")) {
    throw bad(where, "a subject must be a path inside the repository");
  }
  if (text.endsWith("/")) return { kind: "directory", path: text.replace(/^\.?\/|\/$/g, ""), symbol: "" };
  const hash = text.indexOf("#");
  if (hash < 1) return { kind: "path", path: text, symbol: "" };
  return { kind: "symbol", path: text.slice(0, hash), symbol: text.slice(hash + 1) };
}
