import { descriptionLine, descriptionOf } from "../knowledge/description-lines.js";
import type { DescriptionText, NewDescription } from "../knowledge/descriptions.js";
import { notAfter } from "../knowledge/times.js";
import { hidesSomething } from "../printable.js";
import { giveawayIn } from "./giveaways.js";

/** A segment is one file of descriptions, JSON lines as `export --descriptions` writes them. */
export const MOST_LINES = 2_000;
/** Forges advise against larger files. */
const MOST_WRITTEN_BYTES = 1024 * 1024;
/** One that is larger is not read. */
export const MOST_READ_BYTES = 4 * 1024 * 1024;

export const MOST_SUMMARY = 400;
const MOST_TAGS = 20;
const MOST_TAG = 60;
const MOST_LINE = 20_000;
const MOST_PATH = 1_000;
const MOST_NAME = 1_000;

const COMPLEXITIES = new Set(["simple", "moderate", "complex"]);

/** Why a text does not travel, in either direction; null if it may. */
export function textProblem({ summary, tags }: DescriptionText): string | null {
  if (typeof summary !== "string" || summary.trim() === "") return "no summary";
  if (summary.length > MOST_SUMMARY) return `a summary of more than ${MOST_SUMMARY} characters`;
  const texts = [summary, ...(isTags(tags) ? tags : [])];
  if (texts.some(hidesSomething)) return "an invisible character";
  return giveawayIn(texts.join("\n"));
}

function isTags(value: unknown): value is string[] {
  const isTag = (tag: unknown) => typeof tag === "string" && tag.length <= MOST_TAG;
  return Array.isArray(value) && value.length <= MOST_TAGS && value.every(isTag);
}

/** Only these fields travel: another tool's own fields may contain anything, also code. */
export function sharedText({ summary, tags, complexity }: DescriptionText): DescriptionText {
  return {
    complexity: typeof complexity === "string" && COMPLEXITIES.has(complexity) ? complexity : "moderate",
    summary: typeof summary === "string" ? shortened(summary) : summary,
    tags: isTags(tags) ? tags : [],
  };
}

/** Whole sentences, if it is too long. */
function shortened(summary: string): string {
  if (summary.length <= MOST_SUMMARY) return summary;
  const ends = [". ", "! ", "? ", "。"].map((mark) => summary.lastIndexOf(mark, MOST_SUMMARY - 2));
  const end = ends.reduce((last, one) => Math.max(last, one));
  return end <= 0 ? summary : summary.slice(0, end + 1);
}

/** As few segments as fit; each as it is written. */
export function* toSegments(descriptions: readonly NewDescription[]): Generator<{ text: string; count: number }> {
  let lines: string[] = [];
  let bytes = 0;
  for (const line of descriptions.map(descriptionLine).sort()) {
    const size = Buffer.byteLength(line);
    if (lines.length > 0 && (lines.length >= MOST_LINES || bytes + size > MOST_WRITTEN_BYTES)) {
      yield { text: lines.join(""), count: lines.length };
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) yield { text: lines.join(""), count: lines.length };
}

export interface ReadSegment {
  descriptions: NewDescription[];
  /** Lines that are not taken in. */
  refused: number;
}

/** What an author says, whatever its lines claim about who said it and when. */
export function readSegment(content: Buffer, { author, now }: { author: string; now: string }): ReadSegment {
  const read: ReadSegment = { descriptions: [], refused: 0 };
  for (const line of linesOf(content)) {
    const found = line === null ? null : readLine(line);
    if (found === null) read.refused++;
    else {
      const at = notAfter(now, found.at);
      read.descriptions.push({ ...found, text: sharedText(found.text), source: "shared", author, at });
    }
  }
  return read;
}

/** null for a line that is too long, and for all after the most that a segment has. */
function* linesOf(content: Buffer): Generator<string | null> {
  let count = 0;
  for (let at = 0; at < content.length; ) {
    const found = content.indexOf(0x0a, at);
    const end = found < 0 ? content.length : found;
    if (end > at) {
      if (++count > MOST_LINES) return yield null;
      yield end - at > MOST_LINE ? null : content.toString("utf8", at, end);
    }
    at = end + 1;
  }
}

function readLine(line: string): NewDescription | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null; // no JSON
  }
  const found = descriptionOf(value);
  return found !== null && isSound(found) && textProblem(found.text) === null ? found : null;
}

const HASH = /^(?:h\d+:[0-9a-f]{8,128}|blob:(?:[0-9a-f]{40}|[0-9a-f]{64}))$/;
const DIGEST = /^[0-9a-z:.]{0,200}$/;
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const TYPE = /^[a-z][a-z0-9_-]{0,39}$/i;
const LANGUAGE = /^[\p{L}\p{N} _-]{1,40}$/u;

/** The key is of the form that ours have, and its path is one that a tree can have. */
function isSound({ key, oid, commit, language }: NewDescription): boolean {
  const { type, path, name, hash, bareHash, signature, behaviour } = key;
  return (
    TYPE.test(type) &&
    isInside(path) &&
    name.length <= MOST_NAME &&
    !hidesSomething(name) &&
    HASH.test(hash) &&
    [bareHash, signature].every((one) => one === undefined || DIGEST.test(one)) &&
    (behaviour === undefined || (behaviour.length === 4 && DIGEST.test(behaviour[3]))) &&
    OID.test(oid) &&
    (commit === null || OID.test(commit)) &&
    (language === null || (LANGUAGE.test(language) && !hidesSomething(language)))
  );
}

function isInside(path: string): boolean {
  const names = path.split("/");
  return (
    path.length <= MOST_PATH && !hidesSomething(path) && !names.some((name) => ["", ".", "..", ".git"].includes(name))
  );
}
