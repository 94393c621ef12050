import { tester } from "../characters.js";
import { plainText } from "./doc-markup.js";
import { LIST, paragraphsOf } from "./doc-paragraphs.js";
import type { Markup } from "./doc-styles.js";

/** No sentence is longer in a graph. */
const MOST = 300;

/**
 * The first sentence of a comment, as it is written there, without markup; undefined where there is none: tags alone, a
 * licence, a note for a tool or for the authors, code that was switched off.
 */
export function firstSentence(lines: readonly string[], markup: Markup): string | undefined {
  for (const paragraph of paragraphsOf(lines, markup)) {
    if (isLicence(paragraph)) return undefined;
    const text = plainText(paragraph, markup);
    if (isDescription(text)) return capped(upToEnd(text));
  }
  return undefined;
}

const licence = () =>
  /^(?:\(c\)|\u00a9|copyright\b|licen[cs]e\b|the \w+ licen[cs]e)|\bcopyright (?:\(c\)|\u00a9|\d{4}|\w+ \d{4}|the )|licen[cs]ed (?:under|to)\b|all rights reserved|permission is hereby granted|redistribution and use|gnu (?:\w+ )?general public|subject to the terms|(?:source code|file|program|software|code) is (?:part of|free software|licen[cs]ed|governed|distributed|subject|released)|spdx-licen|without warrant/i;

/** What every licence has one of. Searching for these first spares most processes the building of the pattern, 2 ms. */
const OF_LICENCES = [
  "(c)",
  "\u00a9",
  "copyright",
  "licen",
  "rights",
  "permission",
  "redistribut",
  "gnu",
  "terms",
  " is ",
  "warrant",
];

function isLicence(text: string): boolean {
  const lower = text.toLowerCase();
  return OF_LICENCES.some((word) => lower.includes(word)) && licence().test(text);
}

const NOTE = /^(?:todo|fixme|xxx|hack|bug)\b|^(?:warning|note|important|caution)[!:.]/i;
const LINK = /^(?:credits?|source|see|link|refs?|references?|from|adapted from|taken from)\b\s*:?\s*https?:/i;
const HEADER =
  /^(?:created by|created on|authors?|maintainers?|date|version|file(?:name)?|project|last modified|usage|synopsis|args|arguments|parameters|params|returns?|globals|outputs?|@\w+)\b\s*:/i;
const CODE =
  /[;{}]$|^[\w.$:]+\([^.]*\)$|^[\w.$:]+\s*[-+:]?=\s*\S+$|^(?:if|for|while|elif)\s*[([]|^(?:return|import)\s\S+$|^local \w+ =|^from \S+ import|^(?:end|fi|done|else)$|^#include/;
/** What only says that something follows. */
const SECTION_NAME =
  /^(?:module )?(?:dependencies|variables|exports?|prototype|imports|constants|helpers|private)\.?$|^.{0,30}:$/i;

const hasWord = /* @__PURE__ */ tester(/[a-zA-Z]{2}/, () => /\p{L}{2}/u);

function isDescription(text: string): boolean {
  if (!hasWord(text) || text.length < 4) return false;
  // A file's name alone, or a single word that is no sentence.
  if (/^\S+\.\w{1,5}$/.test(text)) return false;
  if (text.includes(":") && (LINK.test(text) || HEADER.test(text))) return false;
  return ![NOTE, CODE, LIST, SECTION_NAME].some((pattern) => pattern.test(text));
}

const ABBREVIATIONS =
  /(?:^|[\s("'[])(?:e\.?g|i\.?e|etc|vs|cf|et al|approx|resp|incl|excl|Dr|Mr|Mrs|Ms|fig|eq|viz|a\.k\.a|esp)$/i;

/** A full stop ends a sentence where white space follows, unless it shortens a word. */
function upToEnd(text: string): string {
  const ends = /\.[)"'\u201d\u2019\]]*(?=\s|$)|[!?]["\u201d\u2019]?(?=\s|$)|[\u3002\uff01\uff1f]/g;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    const before = text.slice(0, end.index);
    const isEllipsis = end[0].startsWith(".") && before.endsWith(".");
    const isLast = ends.lastIndex === text.length;
    if (!isLast && end[0].startsWith(".") && (isEllipsis || ABBREVIATIONS.test(before))) continue;
    return text.slice(0, ends.lastIndex);
  }
  return text;
}

function capped(text: string): string {
  if (text.length <= MOST) return text;
  const cut = text.slice(0, MOST - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MOST / 2)).replace(/[\ud800-\udbff]$/, "")}…`;
}
