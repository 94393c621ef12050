import { replaceHidden } from "../printable.js";
import type { TranscriptMessage } from "./transcript.js";

export const KINDS = {
  Decision: "Reasoning",
  Agreed: null,
  Disagreed: null,
  Requirement: "Context",
  Constraint: "Context",
  Discovery: "Impact",
  Technical: "Rationale",
} as const;
export type StatementKind = keyof typeof KINDS;

export interface ContextItem {
  kind: StatementKind;
  what: string;
  why: string | null;
  at: Date;
}

/** About 300 tokens for one update, and a limit for each sentence. */
const MOST_CHARACTERS = 1200;
const MOST_ITEMS = 8;
const LONGEST_WHAT = 200;
const LONGEST_WHY = 160;

/** Finds statements in these messages by keywords only: the same messages give the same items. */
export function extractItems(messages: readonly TranscriptMessage[]): ContextItem[] {
  const found = new Map<string, ContextItem>();
  messages.forEach((message, at) => {
    for (const sentence of sentencesOf(message.text)) {
      const item = readSentence(sentence, message, lastQuestion(messages.slice(0, at)));
      if (item !== null) found.set(`${item.kind} ${item.what.toLowerCase()}`, item);
    }
  });
  let room = MOST_CHARACTERS;
  const kept: ContextItem[] = [];
  for (const item of [...found.values()].slice(0, MOST_ITEMS)) {
    room -= item.kind.length + item.what.length + (item.why?.length ?? 0) + 30;
    if (room >= 0) kept.push(item);
  }
  return kept;
}

/** Code, quotes and tables are not statements. */
function sentencesOf(text: string): string[] {
  const lines = text.replace(/```[\s\S]*?(```|$)/g, "\n").split("\n");
  return lines
    .filter((line) => !/^\s*([>|#]|\d+\u2192)/.test(line))
    .map((line) => line.replace(/^\s*([-*+\u2022]|\d+[.)])\s+/, "").replace(/\*\*|__/g, ""))
    .flatMap((line) => line.split(/(?<=[.!?])\s+(?=["'(`\p{Lu}\d])/u))
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "" && sentence.length < 2_000);
}

function lastQuestion(before: readonly TranscriptMessage[]): string | null {
  const last = before.findLast(({ role }) => role === "agent");
  return last === undefined ? null : (sentencesOf(last.text).findLast((one) => one.endsWith("?")) ?? null);
}

type Reading = { kind: StatementKind; text: string } | null;

function readSentence(sentence: string, { role, at }: TranscriptMessage, asked: string | null): ContextItem | null {
  const isQuestion = sentence.endsWith("?");
  const plain = sentence.replaceAll("’", "'");
  const reading = isQuestion
    ? null
    : (decision(plain) ??
      (role === "user" ? opinion(plain, asked) : null) ??
      discovery(plain) ??
      technical(plain) ??
      (role === "user" ? requirement(plain) : null));
  if (reading === null) return null;
  const { what, why } = split(reading);
  return what.length < 3 ? null : { kind: reading.kind, what, why, at };
}

function decision(sentence: string): Reading {
  const match = /\b(?:let's go with|i choose|(we'll) (use)|(?<!\bnot )(?<!n't )decided to)\b[\s:]*(.+)$/i.exec(
    sentence,
  );
  if (match === null) return null;
  const [, , use, rest = ""] = match;
  return { kind: "Decision", text: use === undefined ? rest : `use ${rest}` };
}

function opinion(sentence: string, asked: string | null): Reading {
  const against = /\bi disagree\b(?:\s+(?:with|that|about))?[\s,:.]*(.*)$/i.exec(sentence);
  if (against !== null) return { kind: "Disagreed", text: against[1] || asked || "" };
  if (/\bnot (?:acceptable|approved)\b/i.test(sentence)) return { kind: "Disagreed", text: sentence };
  const yes = /^(?:yes|yep|approved|that works)\b[\s,:;.!\u2014-]*(.*)$/i.exec(sentence);
  if (yes !== null) return { kind: "Agreed", text: yes[1] || asked || "" };
  return /\b(?:approved|that works)\b/i.test(sentence) ? { kind: "Agreed", text: sentence } : null;
}

function discovery(sentence: string): Reading {
  const match =
    /\b(?:discovered that|turns out(?: that)?|found the bug|(?:the )?root cause(?: is| was)?)\b[\s,:]*(.+)$/i.exec(
      sentence,
    );
  return match?.[1] === undefined ? null : { kind: "Discovery", text: match[1] };
}

const CHOICE = /\b(?:architecture|design pattern|pattern|library|framework|protocol|schema|data ?base)\b/i;
const CHOSEN = /\b(?:use|using|chose|picked|adopt(?:ed|ing)?|switch(?:ed|ing)? to)\b/i;

/** A choice of architecture, library or pattern: named as such (`Library: zod`), chosen, or given a reason. */
function technical(sentence: string): Reading {
  const label = /^(?:technical|architecture|library|framework|design pattern)\s*:\s*(.+)$/i.exec(sentence);
  if (label?.[1] !== undefined) return { kind: "Technical", text: label[1] };
  if (!CHOICE.test(sentence)) return null;
  const isReasoned = REASON.Technical?.test(sentence) === true;
  return isReasoned || CHOSEN.test(sentence) ? { kind: "Technical", text: sentence } : null;
}

const SUBJECT = "(?:it|this|that|you|we|i|they|everything)";

function requirement(sentence: string): Reading {
  if (/\b(?:must not|mustn't|should not|shouldn't|disallowed|must never)\b/i.test(sentence)) {
    return {
      kind: "Constraint",
      text: sentence.replace(new RegExp(`^(?:and |but )?${SUBJECT}\\s+(?=must|should)`, "i"), ""),
    };
  }
  const need = new RegExp(`^(?:and |but )?${SUBJECT}\\s+needs? to\\s+(.+)$`, "i").exec(sentence);
  if (need?.[1] !== undefined) return { kind: "Requirement", text: need[1] };
  return /\b(?:must|required|need to)\b/i.test(sentence) ? { kind: "Requirement", text: sentence } : null;
}

/** Where the reason of a sentence begins. */
const BECAUSE = /[,;]?\s+(?:because(?: of)?|since|so that|in order to|\u2014|--)[\s:]+/i;
const REASON: Partial<Record<StatementKind, RegExp>> = {
  Decision: BECAUSE,
  Requirement: BECAUSE,
  Constraint: BECAUSE,
  Technical: BECAUSE,
  Discovery: /[,;]?\s+(?:so that|so|which means(?: that)?|which|therefore|\u2014|--)[\s:]+/i,
};

function split({ kind, text }: NonNullable<Reading>): { what: string; why: string | null } {
  const match = REASON[kind]?.exec(text);
  if (match === null || match === undefined || match.index < 3) return { what: tidy(text, LONGEST_WHAT), why: null };
  const why = tidy(text.slice(match.index + match[0].length), LONGEST_WHY);
  return { what: tidy(text.slice(0, match.index), LONGEST_WHAT), why: why === "" ? null : why };
}

/** One line, without the final punctuation and without the separators of a line; with a capital first letter. */
export function tidy(text: string, longest: number): string {
  const clean = replaceHidden(text, () => " ")
    .replaceAll("|", "/")
    .replace(/\s+/g, " ")
    .replace(/^[\s,:;.-]+|[\s,:;.!]+$/g, "");
  const short = clean.length > longest ? `${clean.slice(0, longest - 1).trimEnd()}…` : clean;
  return short.slice(0, 1).toUpperCase() + short.slice(1);
}
