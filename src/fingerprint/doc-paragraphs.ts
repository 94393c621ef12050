import type { Markup } from "./doc-styles.js";

/** No more of a comment is looked at. */
const MOST_TEXT = 2000;

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
  /^(?:[\w.-]+:(?:disable|enable|ignore|off|on)\b|eslint|tslint|jshint|jslint|prettier-|istanbul |c8 |v8 |@ts-|@flow|@jsx|@format|biome-|luacheck:|rubocop:|pylint:|mypy:|flake8|noqa|type: |shellcheck |clang-format|NOLINT|nolint|lint:|go:|\+build|swiftlint|swift-format|ktlint|noinspection|frozen_string_literal:|encoding:|coding:|-\*-|vim?:|ex:|vi:|warn_indent:|typed: |phpcs|phpstan|psalm|@phpstan|spell-checker|cspell|#(?:end)?region\b|MARK:|sourceMappingURL|SPDX-)/;
const RULER = /^[-=*#~_+/.<>\s|]{2,}$/;
const SECTION = /^[-=*#~_+/]{2,}.*[-=*#~_+/]{2,}$/;
const LABEL =
  /^(?:args|arguments|parameters|params|returns?|raises|throws|yields|examples?|attributes|notes?|usage|synopsis|see also|references|todo|:call-seq:|call-seq:|globals|outputs?)\s*:?$/i;

export const LIST = /^(?:[-*+\u2022]|\d+[.)])\s|^[\w ]+::\s/;

/**
 * What a comment says, paragraph by paragraph, without tags, rulers, samples and headings; where there is nothing else,
 * the first heading.
 */
export function* paragraphsOf(lines: readonly string[], markup: Markup): Generator<string> {
  const reader = new ParagraphReader(markup);
  const all = markup === "xml" ? summaryOf(lines) : lines;
  for (const [at, line] of all.entries()) {
    reader.take(line.trim(), (all[at + 1] ?? "").trim());
    yield* reader.ready();
    if (reader.isFull) break;
  }
  yield* reader.rest();
}

/** `<summary>` where there is one. */
function summaryOf(lines: readonly string[]): string[] {
  const text = lines.join("\n").slice(0, 2 * MOST_TEXT);
  const summary = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(text)?.[1];
  const others = /<(param|returns|exception|typeparam|example|code)\b[\s\S]*?<\/\1>/g;
  return (summary ?? text.replace(others, "")).split("\n");
}

class ParagraphReader {
  #ready: string[] = [];
  #current: string[] = [];
  #heading: string | undefined;
  #length = 0;
  /** Inside of code, or of the text of a tag that does not describe. */
  #isSkipping = false;
  readonly #hasTags: boolean;

  constructor(markup: Markup) {
    this.#hasTags = markup !== "plain" && markup !== "rst" && markup !== "xml";
  }

  get isFull(): boolean {
    return this.#length > MOST_TEXT;
  }

  ready(): string[] {
    const ready = this.#ready;
    if (ready.length > 0) this.#ready = [];
    return ready;
  }

  rest(): string[] {
    this.#end();
    if (this.#length === 0 && this.#heading !== undefined) this.#ready.push(this.#heading);
    return this.ready();
  }

  take(line: string, next: string): void {
    if (line === "") this.#end();
    else if (FENCE.test(line) || SAMPLE.test(line)) this.#sample(line);
    else if (RULER.test(line) || SECTION.test(line) || TOOL.test(line)) return;
    else if (this.#hasTags && TAG.test(line) && !INLINE_TAG.test(line)) this.#tag(line);
    else if (!this.#isSkipping && !this.#isHeading(line, next)) this.#text(line);
  }

  #text(line: string): void {
    const isLabel = LABEL.test(line);
    if (isLabel || /^<p\b/i.test(line) || LIST.test(line)) this.#end();
    this.#isSkipping = isLabel;
    if (!isLabel) this.#add(line);
  }

  #add(line: string): void {
    this.#current.push(line);
    this.#length += line.length;
  }

  /** Code is no sentence; a fence ends it as it began it. */
  #sample(line: string): void {
    this.#end();
    this.#isSkipping = !(FENCE.test(line) && this.#isSkipping);
  }

  #tag(line: string): void {
    this.#end();
    const describing = DESCRIBING.exec(line)?.[0];
    this.#isSkipping = describing === undefined && !PASSING.test(line);
    const text = describing === undefined ? "" : line.slice(describing.length);
    // `@file name.c` only says its name.
    if (text !== "" && !/^\S+$/.test(text)) this.#add(text);
  }

  #isHeading(line: string, next: string): boolean {
    const text = /^(?:#{1,6}|={1,4})\s+(\S.*)$/.exec(line)?.[1];
    const isTitle = this.#current.length === 0 && /^([=~^"'`*-])\1{2,}$/.test(next);
    if (text === undefined && !isTitle) return false;
    this.#end();
    this.#heading ??= text ?? line;
    return true;
  }

  #end(): void {
    if (this.#current.length > 0) this.#ready.push(this.#current.join(" ").slice(0, MOST_TEXT));
    this.#current = [];
  }
}
