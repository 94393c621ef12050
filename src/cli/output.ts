import { dirname, join, relative } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { isOwnCopy } from "../platform/own-copy.js";
import { visible } from "../printable.js";
import { LAUNCHER, launcherCommand } from "../repository/launcher.js";

export { printable } from "../printable.js";

/** The output of a command. `json`: only one document on stdout. */
export interface Out {
  json: boolean;
  /** The result: `document` with --json, else `lines`. */
  result(document: Record<string, unknown>, lines: readonly string[]): void;
  /** A progress note; not with --json. */
  note(line: string): void;
}

interface OutOptions {
  json: boolean;
  stateDir?: string | null;
  /** Called before anything is printed. */
  before?: () => void;
}

export function createOut({ json, stateDir = null, before = () => {} }: OutOptions): Out {
  return {
    json,
    result: (document, lines) => {
      before();
      const text = json ? visible(JSON.stringify(document, null, 2)) : onTerminal(asTyped(lines.join("\n"), stateDir));
      if (text !== "") process.stdout.write(`${text}\n`);
    },
    note: (line) => {
      before();
      if (!json) process.stderr.write(`${onTerminal(asTyped(line, stateDir), process.stderr)}\n`);
    },
  };
}

const byNpx = () => process.env.npm_command === "exec";

/** The state dir whose launcher a reader is to use; null for one who has typed `ua-hooks` and can do so again. */
export async function launcherHome(cwd: string): Promise<string | null> {
  if (isOwnCopy()) return dirname(import.meta.dirname);
  if (!byNpx()) return null;
  const { locateProject } = await import("../repository/locate.js");
  return locateProject({ cwd, env: process.env }).then(
    (project) => project.stateDir,
    () => "", // no repository, or one that git refuses
  );
}

/** Names the next command. Before the first install there is no launcher, and npx is how the reader came. */
export function asTyped(text: string, stateDir: string | null): string {
  if (stateDir === null || !text.includes("`ua-hooks ")) return text;
  const command = launcherHere(stateDir) ?? (byNpx() ? "npx ua-hooks" : "ua-hooks");
  return text.replaceAll("`ua-hooks ", () => `\`${command} `);
}

/** On a terminal as short as it can be typed there; a program, which may change its folder, gets the whole path. */
function launcherHere(stateDir: string): string | null {
  const command = launcherCommand(stateDir);
  if (command === null || process.stdout.isTTY !== true) return command;
  const path = relative(process.cwd(), join(stateDir, LAUNCHER));
  const isShort = command.startsWith("'") && !path.startsWith("..") && /^[\w./-]+$/.test(path);
  return isShort ? path : command;
}

type Style = "green" | "yellow" | "red" | "dim" | "bold" | "cyan";

/** NO_COLOR and FORCE_COLOR as usual; otherwise colour only on terminals. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0";
  const refused = (NO_COLOR !== undefined && NO_COLOR !== "") || FORCE_COLOR === "0";
  if (!forced && (refused || !stream.isTTY)) return text;
  return styleText(style, text, { validateStream: false });
}

/** The width of a text on a terminal: without its colours. */
const seen = (text: string) => stripVTControlCharacters(text).length;
const LEAST_WRAPPED = 20;

/**
 * Rows of cells, each column as wide as its widest cell. On a narrow terminal the last cell is wrapped below itself,
 * unless there is hardly any room.
 */
export function table(rows: readonly (readonly string[])[], width = terminalWidth()): string[] {
  return tableRows(rows, width).flat();
}

/** The same, with the lines of each row apart. */
export function tableRows(rows: readonly (readonly string[])[], width = terminalWidth()): string[][] {
  const widths = columnWidths(rows);
  return rows.map((row) => {
    const start = row.slice(0, -1).map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - seen(cell) + 2));
    const indent = seen(start.join(""));
    const [first = "", ...more] = wrap(row.at(-1) ?? "", width - indent);
    return [`${start.join("")}${first}`.trimEnd(), ...more.map((line) => " ".repeat(indent) + line)];
  });
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    row.slice(0, -1).forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, seen(cell));
    });
  return widths;
}

/** Rows whose last cell is cut off at the end of the line: a subject that goes on below itself hides the next row. */
export function clippedTable(rows: readonly (readonly string[])[], width = terminalWidth()): string[] {
  const before = columnWidths(rows).reduce((sum, one) => sum + one + 2, 0);
  const most = Math.max(LEAST_WRAPPED, width - before);
  const clip = (cell: string) => (cell.length <= most ? cell : `${cell.slice(0, most - 1)}…`);
  return table(rows.map((row) => row.map((cell, at) => (at === row.length - 1 ? clip(cell) : cell))));
}

/** Rows of a bold label and a text. */
export function facts(rows: readonly (readonly string[])[]): string[] {
  return table(rows.map(([label = "", ...rest]) => [paint("bold", label), ...rest]));
}

/** Infinite without a terminal: in a pipe or a file a row is one line. */
function terminalWidth(stream: NodeJS.WriteStream = process.stdout): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
}

/** Sentences that are longer than the terminal go on below, at the same indentation. */
export function onTerminal(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const width = terminalWidth(stream);
  if (width === Number.POSITIVE_INFINITY) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      const indent = " ".repeat(line.length - line.trimStart().length);
      return seen(line) <= width ? [line] : wrap(line.trimStart(), width - indent.length).map((part) => indent + part);
    })
    .join("\n");
}

/** At spaces; not in a word that is longer than a line, which may be a path, nor in a command between backticks: both are copied. */
function wrap(text: string, width: number): string[] {
  if (width < LEAST_WRAPPED || seen(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of words(text)) {
    const line = lines.at(-1);
    if (line === undefined || seen(line) + 1 + seen(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function words(text: string): string[] {
  const found: string[] = [];
  let isCommand = false;
  for (const part of text.split(" ")) {
    if (isCommand) found.push(`${found.pop()} ${part}`);
    else found.push(part);
    if (part.split("`").length % 2 === 0) isCommand = !isCommand;
  }
  return found;
}

/** `1 commit`, `2 commits`. */
export function count(n: number, thing: string): string {
  return `${number(n)} ${thing}${n === 1 ? "" : "s"}`;
}

/** `, 2 left unchanged`, of symbols whose descriptions still hold. */
export const stillTrue = (unchanged: readonly string[]): string =>
  unchanged.length === 0 ? "" : `, ${number(unchanged.length)} left unchanged`;

/** `50,000`. By hand: the first toLocaleString of a process takes 20 ms. */
export function number(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `2026-11-18 19:50 UTC`, of an ISO time. */
export function moment(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

export function short(sha: string | null | undefined): string {
  return sha === null || sha === undefined ? "none" : sha.slice(0, 10);
}

const MOST_LINES = 50;

/** The first lines of a list of any length, and how many there are more. */
export function atMost(lines: readonly string[]): string[] {
  const more = lines.length - MOST_LINES;
  return more <= 0 ? [...lines] : [...lines.slice(0, MOST_LINES), `  … and ${more} more`];
}
