import type { Finding } from "../citations/present.js";
import { UaError } from "../errors.js";
import type { ChangedSymbol } from "../verification/changed-symbols.js";
import type { Comparison } from "../verification/compare.js";
import { findingLine } from "./docs.js";
import { count, printable } from "./output.js";

/** What `check` found, for people who review a change. */
export interface Review {
  found: Comparison;
  symbols: readonly ChangedSymbol[];
  broken: readonly Finding[];
}

const FORMATS = ["text", "json", "markdown", "github"] as const;
export type Format = (typeof FORMATS)[number];

export function formatOf(given: unknown): Format {
  const format = FORMATS.find((one) => one === (given ?? "text"));
  if (format === undefined) throw new UaError("usage", `--format must be one of ${FORMATS.join(", ")}`);
  return format;
}

/** Of a comment; what does not fit is counted. */
const MOST_LINES = 60;
const MOST_SYMBOLS = 20;
const MOST_SENTENCES = 12;
const MOST_BROKEN = 14;

/**
 * A finished comment for a pull request. Names and sentences come from the change, which may be a stranger's: each stands in a code span that
 * nothing in it can end, so that no markup, link or mention of it acts.
 */
export function markdownLines({ found, symbols, broken }: Review): string[] {
  const shown = symbols.filter(isReported);
  const sentences = symbols.filter(isLikelyFalse);
  const lines = [
    `**ua-hooks**: ${decision(found)}`,
    ...section(
      ["| symbol | grade | what |", "| --- | --- | --- |"],
      shown.map((symbol) => `| ${cell(nameOf(symbol))} | ${gradeOf(symbol)} | ${cell(whatChanged(symbol))} |`),
      MOST_SYMBOLS,
    ),
    ...section(
      ["Sentences that are likely false now:", ""],
      sentences.map(
        (symbol) => `- ${code(nameOf(symbol))}: ${code(symbol.sentence ?? "")} (${code(whatChanged(symbol))})`,
      ),
      MOST_SENTENCES,
    ),
    ...section(["Lines of documents that this change makes false:", ""], broken.map(brokenLine), MOST_BROKEN),
  ];
  return lines.slice(0, MOST_LINES);
}

/** Annotations of a workflow's log: a `::warning file=…,line=…::` each (GitHub's workflow commands). */
export function githubLines({ found, symbols, broken }: Review): string[] {
  const annotation = (level: string, place: Record<string, string | number>, text: string) => {
    const properties = Object.entries(place).map(([key, value]) => `${key}=${property(String(value))}`);
    return `::${level} ${properties.join(",")}::${message(text)}`;
  };
  return [
    ...broken.map((finding) =>
      annotation("warning", { file: finding.file, line: finding.line, title: "no longer true" }, findingLine(finding)),
    ),
    ...symbols.filter(isLikelyFalse).map((symbol) => {
      const text = `${nameOf(symbol)}: "${symbol.sentence ?? ""}" is likely false now (${whatChanged(symbol)})`;
      return annotation("warning", { file: symbol.path, title: "likely false" }, text);
    }),
    annotation("notice", { title: "ua-hooks" }, decision(found)),
  ];
}

/** Below the text of `check`. */
export function reviewLines({ symbols, broken }: Review): string[] {
  const sentences = symbols.filter(isLikelyFalse);
  return [
    ...(sentences.length === 0 ? [] : ["", "Likely false now:"]),
    ...sentences.map(
      (symbol) => `  ${printable(`${nameOf(symbol)}: ${symbol.sentence ?? ""} (${whatChanged(symbol)})`)}`,
    ),
    ...(broken.length === 0 ? [] : ["", "Lines of documents that are no longer true:"]),
    ...broken.map((finding) => `  ${findingLine(finding)}`),
  ];
}

/** The strongest come first. */
const MOST_REASONS = 2;

const isLikelyFalse = ({ likelihood, sentence }: ChangedSymbol): boolean =>
  likelihood === "likely" && sentence !== undefined;

/** A changed interface, or a behaviour of which something said is likely false. */
const isReported = ({ change, likelihood }: ChangedSymbol): boolean => isInterface(change) || likelihood === "likely";

const isInterface = (change: ChangedSymbol["change"]): boolean =>
  change === "interface" || change === "new" || change === "gone";

const gradeOf = ({ change }: ChangedSymbol): string => (isInterface(change) ? "interface" : "behaviour");

function whatChanged({ id, change, reasons = [] }: ChangedSymbol): string {
  if (id.startsWith("file:") && isInterface(change)) return "its imports, exports or list of symbols changed";
  if (reasons.length > 0) return reasons.slice(0, MOST_REASONS).join(", ");
  if (change === "interface") return "what callers see changed";
  return change === "new" ? "new" : change === "gone" ? "removed" : "what it does changed";
}

/** `function:src/a.ts:add` → `add in src/a.ts` */
function nameOf({ id, path }: ChangedSymbol): string {
  const name = id.slice(id.indexOf(":") + 1 + path.length + 1);
  return name === "" ? path : `${name} in ${path}`;
}

function decision({ action, filesToReanalyze, deletedFiles }: Comparison): string {
  if (action === "SKIP") return "nothing that is described has to be described again.";
  const files = count(filesToReanalyze.length, "file");
  const gone = deletedFiles.length === 0 ? "" : `, ${count(deletedFiles.length, "file")} deleted`;
  const all = action === "FULL_UPDATE" ? "; so much changed that the whole graph should be described again" : "";
  return `${files} to describe again${gone}${all}.`;
}

function section(head: readonly string[], rows: readonly string[], most: number): string[] {
  if (rows.length === 0) return [];
  const more = rows.length - most;
  return ["", ...head, ...rows.slice(0, most), ...(more > 0 ? ["", `… and ${more} more`] : [])];
}

function brokenLine({ file, line, target, verdict, to }: Finding): string {
  const what = verdict === "moved" && to !== undefined ? `is now ${code(to)}` : "is gone";
  return `- ${code(`${file}:${line}`)} names ${code(target)}, which ${what}`;
}

const MOST_CHARACTERS = 160;

/** A code span: a backquote in it would end it, a line break too. */
function code(text: string): string {
  const plain = printable(text.replace(/\s+/g, " ").trim()).replaceAll("`", "'");
  const short = plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS - 1)}…` : plain;
  return short === "" ? "(empty)" : `\`${short}\``;
}

/** In a table a bar ends the cell, also in code. */
const cell = (text: string): string => code(text.replaceAll("|", "¦"));

const message = (text: string): string =>
  printable(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => message(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
