import { plainText } from "./doc-markup.js";
import type { Markup } from "./doc-styles.js";

/** No sentence is longer in a graph. */
const MOST = 300;
/** No more of a comment is looked at. */
const MOST_TEXT = 2000;

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

/** Tags whose text describes; the text of others belongs to them. */
const DESCRIBING = /^[@\\](?:brief|short|summary|desc|description|classdesc|file|fileoverview|overview|remarks)\b:?\s*/;
/** Tags that say something in passing, in front of what describes. */
const PASSING =
  /^[@\\](?:module|packageDocumentation|internal|public|protected|private|static|async|export|exports|class|constructor|function|func|fn|method|memberof|namespace|name|api|global|local|override|abstract|final|readonly|virtual|experimental|beta|alpha|inheritable|defgroup|ingroup|addtogroup|package|category|group|ignore|type|typedef|interface|enum|generator|callback|license|copyright|author|preserve|version|since|date)\b/;
const TAG = /^[@\\][a-zA-Z]/;
/** Doxygen's marks for single words are none. */
const INLINE_TAG = /^[@\\](?:c|p|a|e|b|em|ref)\s/;
const FENCE = /^(?:```|~~~)\w*$/;
const SAMPLE = /^(?:>>> |\$ |\{\{\{|[@\\](?:code|verbatim|example)\b|<pre\b|<code>$)/;
const TOOL =
  /^(?:[\w.-]+:(?:disable|enable|ignore|off|on)\b|eslint|tslint|jshint|jslint|prettier-|istanbul |c8 |v8 |@ts-|@flow|@jsx|@format|biome-|global |luacheck:|rubocop:|pylint:|mypy:|flake8|noqa|type: |shellcheck |clang-format|NOLINT|nolint|lint:|go:|\+build|swiftlint|swift-format|ktlint|noinspection|frozen_string_literal:|encoding:|coding:|-\*-|vim?:|ex:|vi:|warn_indent:|typed: |phpcs|phpstan|psalm|@phpstan|spell-checker|cspell|region\b|endregion\b|MARK:|pragma |#?region|sourceMappingURL|noqa|SPDX-)/i;
const RULER = /^[-=*#~_+/.<>\s|]{2,}$/;
const SECTION = /^[-=*#~_+/]{2,}.*[-=*#~_+/]{2,}$/;
const LABEL =
  /^(?:args|arguments|parameters|params|returns?|raises|throws|yields|examples?|attributes|notes?|usage|synopsis|see also|references|todo|:call-seq:|call-seq:|globals|outputs?)\s*:?$/i;

/** What a comment says, block by block, without tags, rulers and headings; of the last the first is kept for need. */
function paragraphsOf(lines: readonly string[], markup: Markup): string[] {
  const reader = new ParagraphReader(markup);
  const all = markup === "xml" ? summaryOf(lines) : lines;
  for (const [at, line] of all.entries()) if (!reader.take(line.trim(), (all[at + 1] ?? "").trim())) break;
  return reader.finish();
}

/** `<summary>` where there is one. */
function summaryOf(lines: readonly string[]): string[] {
  const text = lines.join("\n").slice(0, 2 * MOST_TEXT);
  const summary = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(text)?.[1];
  return (summary ?? text.replace(/<(param|returns|exception|typeparam|example|code)\b[\s\S]*?<\/\1>/g, "")).split(
    "\n",
  );
}

class ParagraphReader {
  readonly #found: string[] = [];
  #heading: string | undefined;
  #current: string[] = [];
  #length = 0;
  /** Inside of code, or of the text of a tag that does not describe. */
  #isSkipping = false;
  readonly #hasTags: boolean;

  constructor(markup: Markup) {
    this.#hasTags = markup !== "plain" && markup !== "rst" && markup !== "xml";
  }

  /** False where nothing more is wanted. */
  take(line: string, next: string): boolean {
    if (this.#length > MOST_TEXT) return false;
    if (FENCE.test(line) || SAMPLE.test(line)) return this.#sample(line);
    if (line === "") return this.#end();
    if (/^<p\b/i.test(line) || (LIST.test(line) && this.#current.length > 0)) this.#end();
    if (RULER.test(line) || SECTION.test(line) || TOOL.test(line)) return true;
    if (this.#hasTags && TAG.test(line) && !INLINE_TAG.test(line)) return this.#tag(line);
    if (this.#isSkipping) return true;
    if (this.#isHeading(line, next)) return true;
    if (LABEL.test(line)) {
      this.#end();
      this.#isSkipping = true;
      return true;
    }
    this.#current.push(line);
    this.#length += line.length;
    return true;
  }

  finish(): string[] {
    this.#end();
    return this.#found.length === 0 && this.#heading !== undefined ? [this.#heading] : this.#found;
  }

  /** Code is no sentence; a fence ends it as it began it. */
  #sample(line: string): boolean {
    this.#end();
    this.#isSkipping = !(FENCE.test(line) && this.#isSkipping);
    return this.#found.length === 0;
  }

  #tag(line: string): boolean {
    this.#end();
    const describing = DESCRIBING.exec(line)?.[0];
    this.#isSkipping = describing === undefined && !PASSING.test(line);
    const text = describing === undefined ? "" : line.slice(describing.length);
    // `@file name.c` only says its name.
    if (text !== "" && !/^\S+$/.test(text)) this.#current.push(text);
    return true;
  }

  #isHeading(line: string, next: string): boolean {
    const text = /^(?:#{1,6}|={1,4})\s+(\S.*)$/.exec(line)?.[1];
    const isTitle = this.#current.length === 0 && /^([=~^"'`*-])\1{2,}$/.test(next);
    if (text === undefined && !isTitle) return false;
    this.#end();
    this.#heading ??= text ?? line;
    return true;
  }

  #end(): true {
    if (this.#current.length > 0) this.#found.push(this.#current.join(" ").slice(0, MOST_TEXT));
    this.#current = [];
    return true;
  }
}

const LICENCE =
  /^(?:\(c\)|©|copyright\b|licen[cs]e\b|the \w+ licen[cs]e)|\bcopyright (?:\(c\)|©|\d{4}|\w+ \d{4}|the )|licen[cs]ed (?:under|to)\b|all rights reserved|permission is hereby granted|redistribution and use|gnu (?:\w+ )?general public|subject to the terms|(?:source code|file|program|software|code) is (?:part of|free software|licen[cs]ed|governed|distributed|subject|released)|spdx-licen|without warrant/i;

function isLicence(text: string): boolean {
  return LICENCE.test(text);
}

const NOTE = /^(?:todo|fixme|xxx|hack|bug)\b|^(?:warning|note|important|caution)[!:.]/i;
const LINK = /^(?:credits?|source|see|link|refs?|references?|from|adapted from|taken from)\b\s*:?\s*https?:/i;
const HEADER =
  /^(?:created by|created on|authors?|maintainers?|date|version|file(?:name)?|project|last modified|usage|synopsis|args|arguments|parameters|params|returns?|globals|outputs?|@\w+)\b\s*:/i;
const CODE =
  /[;{}]$|^[\w.$:]+\s*(?:[-+:]?=|\()[^.]*\)?$|^(?:if|for|while|return|local|end|fi|done|elif|else|import|from|#include)\b[^.]*[({;=:]/;
const LIST = /^(?:[-*+•]|\d+[.)])\s|^[\w ]+::\s/;
/** What only says that something follows. */
const SECTION_NAME =
  /^(?:module )?(?:dependencies|variables|exports?|prototype|imports|constants|helpers|private)\.?$|^.{0,30}:$/i;

function isDescription(text: string): boolean {
  if (!/\p{L}{2}/u.test(text) || text.length < 4) return false;
  // A file's name alone, or a single word that is no sentence.
  if (/^\S+\.\w{1,5}$/.test(text)) return false;
  return ![NOTE, LINK, HEADER, CODE, LIST, SECTION_NAME].some((pattern) => pattern.test(text));
}

const ABBREVIATIONS =
  /(?:^|[\s("'[])(?:e\.g|i\.e|etc|vs|cf|al|approx|resp|incl|excl|dr|mr|mrs|ms|st|no|fig|eq|sec|ca|viz|a\.k\.a|esp|max|min|[A-Z])$/i;

/** A full stop ends a sentence where white space follows, unless it shortens a word. */
function upToEnd(text: string): string {
  const ends = /\.[)"'”’\]]*(?=\s|$)|[!?]["”’]?(?=\s|$)|[。！？]/g;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    const before = text.slice(0, end.index);
    const isEllipsis = end[0].startsWith(".") && before.endsWith(".");
    if (end[0].startsWith(".") && (isEllipsis || ABBREVIATIONS.test(before)) && ends.lastIndex < text.length) continue;
    return text.slice(0, ends.lastIndex);
  }
  return text;
}

function capped(text: string): string {
  if (text.length <= MOST) return text;
  const cut = text.slice(0, MOST - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MOST / 2)).replace(/[\ud800-\udbff]$/, "")}…`;
}
