import { visibleLines } from "./components.js";
import { firstSentence } from "./doc-sentence.js";
import { SYMBOL_SCHEME } from "./engine.js";
import { hashOf } from "./hash.js";
import type { ClassFingerprint, DocComments, FileFingerprint, OwnFingerprint } from "./types.js";

/** Headings below these belong to the text above them. */
const DEEPEST = 3;
const LONGEST_NAME = 120;
/** No more of a heading is looked at: the patterns for markup take the square of its length. */
const LONGEST_TITLE = 1000;
/** As for code: two shorter texts are alike by chance. */
const LEAST_WORDS = 20;

interface HeadingSection {
  /** 0 for what stands before the first heading. */
  level: number;
  title: string;
  /** The line of its heading, counted from 0, and the line behind its text. */
  start: number;
  end: number;
  /** Where its text begins, behind the heading. */
  text: number;
}

type MarkdownStructure = Pick<
  FileFingerprint,
  "classes" | "moduleCode" | "tokenHash" | "hasStructuralAnalysis" | "docs"
>;

/** A text by its headings: each is a symbol, with what stands below it up to the next one. */
export function markdownStructure(text: string): MarkdownStructure {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const [top, ...sections] = sectionsOf(lines);
  const textOf = ({ start, end }: Pick<HeadingSection, "start" | "end">) =>
    visibleLines(lines.slice(start, end).join("\n"));
  const groups = new Map<string, HeadingSection[]>();
  const nameOfSection = sectionNames(sections);
  for (const section of sections) {
    const name = nameOfSection(section);
    groups.set(name, [...(groups.get(name) ?? []), section]);
  }
  const docs = docsOf(lines, groups);
  return {
    hasStructuralAnalysis: true,
    tokenHash: hashOf(visibleLines(lines.join("\n"))),
    classes: [...groups].map(([name, same]) => classOf(name, same, textOf)),
    moduleCode: { hash: hashed(top === undefined ? "" : textOf(top)) },
    ...(docs === undefined ? {} : { docs }),
  };
}

/** With the titles of the sections around it; the only one of the first level is the title of the file, and in no other name. */
function sectionNames(sections: readonly HeadingSection[]): (section: HeadingSection) => string {
  const isTitled = sections.filter(({ level }) => level === 1).length === 1;
  const around = ["", "", ""];
  return ({ level, title }) => {
    around.fill("", level - 1);
    if (level === 1 && isTitled) return title;
    around[level - 1] = title;
    return around.filter((part) => part !== "").join(".");
  };
}

const hashed = (text: string) => `${SYMBOL_SCHEME}:${hashOf(text)}`;

type TextOf = (part: Pick<HeadingSection, "start" | "end">) => string;

function classOf(name: string, sections: readonly HeadingSection[], textOf: TextOf): ClassFingerprint {
  const texts = sections.map(textOf);
  const [first] = sections;
  return {
    ...{ name, methods: [], properties: [], exported: false, kind: "module", extends: [], implements: [] },
    lineCount: texts.reduce((sum, text) => sum + text.split("\n").length, 0),
    lineRange: [(first?.start ?? 0) + 1, sections.at(-1)?.end ?? 1],
    signature: "#".repeat(first?.level ?? 1),
    ...(sections.length < 2 ? {} : { parts: sections.map(({ start, end }): [number, number] => [start + 1, end]) }),
    ...ownOf(texts.join("\n"), sections.map(({ text, end }) => textOf({ start: text, end })).join("\n")),
  };
}

/** `bare`: without the headings. */
function ownOf(whole: string, bare: string): OwnFingerprint {
  const words = bare.split(/\s+/).length;
  return { hash: hashed(whole), ...(words < LEAST_WORDS ? {} : { bareHash: hashed(bare) }) };
}

/** The first sentence below a heading is what its author says about it; that of the first one is about the file. */
function docsOf(
  lines: readonly string[],
  groups: ReadonlyMap<string, readonly HeadingSection[]>,
): DocComments | undefined {
  const classes: Record<string, string> = {};
  for (const [name, [section]] of groups) {
    const sentence = section === undefined ? undefined : sentenceOf(lines.slice(section.text, section.end));
    if (sentence !== undefined) classes[name] = sentence;
  }
  const [first] = groups.keys();
  const file = first === undefined || !Object.hasOwn(classes, first) ? undefined : classes[first];
  if (Object.keys(classes).length === 0) return undefined;
  return { ...(file === undefined ? {} : { file }), classes };
}

/** Of the first paragraph, if it is one: no list, no table, no code, no image. */
function sentenceOf(lines: readonly string[]): string | undefined {
  const from = lines.findIndex((line) => line.trim() !== "");
  const rest = from < 0 ? [] : lines.slice(from, from + 40);
  const end = rest.findIndex((line) => line.trim() === "");
  const paragraph = end < 0 ? rest : rest.slice(0, end);
  if (paragraph.length === 0 || /^\s*(?:[-*+>|<!`~]|\d+[.)]|\[!?\[)|^ {4}/.test(paragraph[0] ?? "")) return undefined;
  return firstSentence(paragraph, "markdown");
}

/** The text before the first heading, then each heading with its text. */
function sectionsOf(lines: readonly string[]): HeadingSection[] {
  const sections: HeadingSection[] = [{ level: 0, title: "", start: 0, end: lines.length, text: 0 }];
  const scanner = new LineScanner();
  const begin = (heading: Heading, start: number, text: number) => {
    const last = sections.at(-1);
    if (last !== undefined) last.end = start;
    sections.push({ ...heading, start, text, end: lines.length });
  };
  for (let at = frontMatterEnd(lines); at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (scanner.isCode(line)) continue;
    const heading = atxHeading(line);
    if (heading !== null && heading.level <= DEEPEST) begin(heading, at, at + 1);
    const underlined = heading === null ? setextHeading(line, lines[at + 1] ?? "", lines[at - 1] ?? "") : null;
    if (underlined !== null) begin(underlined, at, ++at + 1);
  }
  return sections;
}

/** Behind a block of settings at the top; 0 if there is none. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end < 0 ? 0 : end + 1;
}

/** Which lines are code between fences, or in a comment. */
class LineScanner {
  #fence: { mark: string; length: number } | null = null;
  #isComment = false;

  isCode(line: string): boolean {
    if (this.#isComment) {
      this.#isComment = !line.includes("-->");
      return true;
    }
    const [, fence = "", info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    const mark = fence.charAt(0);
    if (this.#fence !== null) {
      const { mark: open, length } = this.#fence;
      if (mark === open && fence.length >= length && info.trim() === "") this.#fence = null;
      return true;
    }
    // A line with a backquote behind its fence is a line of text.
    if (fence !== "" && !(mark === "`" && info.includes("`"))) {
      this.#fence = { mark, length: fence.length };
      return true;
    }
    this.#isComment = /^ {0,3}<!--/.test(line) && !line.includes("-->");
    return this.#isComment;
  }
}

type Heading = Pick<HeadingSection, "level" | "title">;

/** `## Title ##` */
function atxHeading(line: string): Heading | null {
  const found = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(line);
  if (found === null) return null;
  const title = (found[2] ?? "").slice(0, LONGEST_TITLE).replace(/(?:^|[ \t]+)#+[ \t]*$/, "");
  return { level: found[1]?.length ?? 1, title: nameOf(title) };
}

/** A line of text with a line of `=` or `-` below it. */
function setextHeading(line: string, below: string, above: string): Heading | null {
  const mark = /^ {0,3}(=+|-+)[ \t]*$/.exec(below)?.[1]?.charAt(0);
  const isText = /^ {0,3}[^\s>|<#*+-]/.test(line) && !/^ {0,3}\d+[.)]\s/.test(line);
  if (mark === undefined || !isText || above.trim() !== "") return null;
  return { level: mark === "=" ? 1 : 2, title: nameOf(line) };
}

/** As it is read: without markup, on one line, without the colon that ids are split at. */
function nameOf(title: string): string {
  const plain = title
    .slice(0, LONGEST_TITLE)
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?/g, "$1")
    .replace(/<[^>]{0,200}>|\{#[^}]*\}|[`*]/g, "")
    .replace(/[\s:\p{Cc}]+/gu, " ")
    .trim();
  return plain === "" ? "untitled" : plain.slice(0, LONGEST_NAME);
}
