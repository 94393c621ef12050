import { jsonProblem, UaError } from "../errors.js";
import type { Behaviour } from "../fingerprint/types.js";
import { fromJson } from "../json.js";
import { type Check, isObject, isText, objectOf, oneOf, orNull } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { type DescriptionSource, SOURCES } from "./choose.js";
import { allDescriptions, type NewDescription, putDescription } from "./descriptions.js";
import { isTime } from "./times.js";

/**
 * Descriptions as JSON lines, one per line, sorted: a backup, or what another clone is to know. They keep their source, author and
 * time. Importing gives the same result for any order and any duplicates.
 */
interface DescriptionLine {
  type: string;
  path: string;
  name: string;
  hash: string;
  bareHash: string | null;
  signature: string | null;
  behaviour: Behaviour | null;
  isAside: boolean;
  oid: string;
  language: string | null;
  text: Record<string, unknown>;
  source: DescriptionSource;
  author: string | null;
  at: string;
  commit: string | null;
}

export function exportDescriptions(db: Db): { text: string; count: number } {
  const lines = allDescriptions(db).map(descriptionLine);
  return { text: lines.sort().join(""), count: lines.length };
}

/** With its line end. */
export function descriptionLine(description: NewDescription): string {
  const { key, oid, language, text, source, author, at, commit } = description;
  const { type, path, name, hash, bareHash = null, signature = null, behaviour = null, isAside = false } = key;
  const line: DescriptionLine = {
    ...{ type, path, name, hash, bareHash, signature, behaviour, isAside },
    ...{ oid, language, text, source, author, at, commit },
  };
  return `${JSON.stringify(line)}\n`;
}

/** The whole file, or nothing. Returns how many were not stored before. */
export function importDescriptions(db: Db, text: string, file: string): { read: number; added: number } {
  const lines = text.split("\n");
  const read = lines.flatMap((line, at) => (line.trim() === "" ? [] : [parseLine(line, `${file}, line ${at + 1}`)]));
  const count = () => db.get<{ n: number }>("SELECT count(*) AS n FROM descriptions")?.n ?? 0;
  return db.write(() => {
    const before = count();
    for (const one of read) putDescription(db, one, "own");
    return { read: read.length, added: count() - before };
  });
}

/** No description of ours has more. */
const MOST_CHARACTERS = 20_000;

const isTimeText: Check<string> = (value): value is string => isText(value) && isTime(value);
const isFlag: Check<boolean> = (value): value is boolean => typeof value === "boolean";

const isLine: Check<DescriptionLine> = objectOf<DescriptionLine>({
  ...{ type: isText, path: isText, name: isText, hash: isText, oid: isText, at: isTimeText },
  ...{ bareHash: orNull(isText), signature: orNull(isText), language: orNull(isText), author: orNull(isText) },
  ...{ commit: orNull(isText), text: isObject, source: oneOf(...SOURCES) },
  behaviour: orNull(isBehaviour),
  isAside: isFlag,
});

function isBehaviour(value: unknown): value is Behaviour {
  const [branches, throws, comparisons, callees] = Array.isArray(value) ? value : [];
  return [branches, throws, comparisons].every(Number.isInteger) && isText(callees);
}

function parseLine(line: string, where: string): NewDescription {
  let value: unknown;
  try {
    value = fromJson(line);
  } catch (error) {
    throw new UaError("usage", `${where}: ${jsonProblem(line, error)}`, "nothing was imported");
  }
  const found = line.length > MOST_CHARACTERS ? null : descriptionOf(value);
  if (found === null) throw new UaError("usage", `${where} is no description`, "nothing was imported");
  return found;
}

/** What a parsed line says; null if it is no description. */
export function descriptionOf(value: unknown): NewDescription | null {
  if (!isLine(value) || typeof value.text.summary !== "string") return null;
  const { type, path, name, hash, bareHash, signature, behaviour, isAside, ...rest } = value;
  const key = {
    ...{ type, path, name, hash },
    ...(bareHash === null ? {} : { bareHash }),
    ...(signature === null ? {} : { signature }),
    ...(behaviour === null ? {} : { behaviour }),
    ...(isAside ? { isAside } : {}),
  };
  return { key, ...rest };
}
