import type { FileSymbol } from "../graph/symbols.js";
import type { Asked } from "../verification/asked.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";
import { changedStatements, type FileText, isInside, partsOf } from "./file-text.js";
import { type DiffLine, diffLines, isOmission, omission, renderDiff } from "./line-diff.js";

/** One symbol to describe. Without `code` and `diff` it stands in another part of the packet. */
export interface PacketSymbol {
  id: string;
  change: SymbolVerdict["change"];
  lineRange: [number, number] | null;
  /** What is said of it now, if that was written in this clone. */
  previous?: string;
  /** Its text, if it is new. */
  code?: string;
  /** Its text with what changed since it was described. */
  diff?: string;
  /** It is not asked about: it changed inside, and its description may have become false. */
  aging?: true;
}

/** The file itself: what it is for, and its code outside of functions and classes. */
export interface PacketFile {
  id: string;
  change: SymbolVerdict["change"];
  previous?: string;
  /** What changed outside of functions and classes, as whole statements. */
  diff?: string;
  /** Functions and classes that it no longer has. */
  gone?: string[];
}

/** A node of the file that is not computed from its code. It is not asked about; its description may have become false. */
export interface PacketNode {
  id: string;
  type: string;
  name: string;
  lineRange: [number, number] | null;
  previous?: string;
}

/** What a model needs to describe what changed in one file. */
export interface Packet {
  path: string;
  language: string | null;
  /** The first lines of other symbols, those nearest to the change. */
  outline: string[];
  symbols: PacketSymbol[];
  describeFile: PacketFile | null;
  /** What else the graph has of the file: endpoints, schemas, and other things that another tool found in it. */
  others?: PacketNode[];
  /** The whole file, where that is shorter. */
  code?: string;
}

export interface PacketInput {
  path: string;
  language: string | null;
  /** The analysed content; null if there is none to compare with. */
  before: FileText | null;
  /** The content to describe. */
  after: FileText;
  asked: Asked;
  /** Functions and classes that went. */
  gone: readonly string[];
  others: readonly PacketNode[];
  previousOf(symbol: Pick<SymbolVerdict, "type" | "name">): string | undefined;
  /** The content that it was described at, if that is known: the analysed one can be later. */
  describedIn?(symbol: Pick<SymbolVerdict, "type" | "name">): FileText | null;
}

/** Pure: everything in it is from the two contents and what was said of them. */
export function buildPacket(input: PacketInput): Packet {
  const packet = symbolPacket(input);
  // Other imports say nothing about what is in the file.
  const isBeside = !input.asked.isWhole && input.asked.symbols.every(({ beside }) => beside === true);
  return input.others.length === 0 || isBeside ? packet : { ...packet, others: [...input.others] };
}

function symbolPacket(input: PacketInput): Packet {
  if (input.asked.isWhole) return wholeFile(input, allSymbols(input));
  const { asked } = input;
  const parts = byParts(input, asked.symbols);
  const aging = agingOf(input, size(parts));
  const packet = { ...parts, symbols: [...parts.symbols, ...aging] };
  // Parts say what changed; the whole file is given only where a model reads less of it, ids and line ends included.
  const whole = wholeFile(input, [...asked.symbols, ...asked.aging]);
  return size(packet) <= size(whole) ? packet : whole;
}

function allSymbols({ path, after }: PacketInput): SymbolVerdict[] {
  const file: SymbolVerdict = { id: `file:${path}`, type: "file", name: "", change: "new", lineRange: null, hash: "" };
  const symbols = after.symbols.map(({ id, kind: type, name, lineRange }): SymbolVerdict => {
    return { id, type, name, change: "new", lineRange, hash: "" };
  });
  return [file, ...symbols];
}

const head = ({ path, language }: PacketInput) => ({ path, language });

/** New texts are in `code`; what changed is still said with the old lines. */
function wholeFile(input: PacketInput, symbols: readonly SymbolVerdict[]): Packet {
  const asked = new Set(input.asked.symbols);
  return {
    ...{ ...head(input), outline: [] },
    symbols: symbols.flatMap((one) => {
      if (one.type === "file") return [];
      const isAging = !input.asked.isWhole && !asked.has(one);
      return [{ ...place(one), ...previous(input, one), ...(isAging ? { aging: true as const } : {}) }];
    }),
    describeFile: fileOf(input, symbols, { isBrief: true }),
    code: input.after.text,
  };
}

function byParts(input: PacketInput, symbols: readonly SymbolVerdict[]): Packet {
  const listed = symbols.filter(({ type }) => type !== "file");
  const parts = {
    symbols: listed.map((one) => ({ ...place(one), ...previous(input, one), ...textOf(input, one, listed) })),
    describeFile: fileOf(input, symbols, { isBrief: false }),
  };
  // Other imports say nothing about the symbols.
  const isBeside = symbols.every(({ change, beside }) => beside === true && change === "interface");
  return { ...head(input), outline: isBeside ? [] : outlineOf(input, listed, size(parts)), ...parts };
}

const place = ({ id, change, lineRange }: SymbolVerdict) => ({ id, change, lineRange });

function previous(input: PacketInput, symbol: SymbolVerdict): { previous?: string } {
  const text = input.previousOf(symbol);
  return text === undefined ? {} : { previous: text };
}

/** Up to so many lines a symbol is given whole; a longer one by its first lines and what changed. */
const WHOLE = { mostLines: 120, head: 5, around: 8 };
/** The members of a class say less about it. */
const WHOLE_CLASS = { mostLines: 40, head: 5, around: 4 };

function textOf(
  input: PacketInput,
  { type, name, change }: SymbolVerdict,
  listed: readonly SymbolVerdict[],
): Pick<PacketSymbol, "code" | "diff"> {
  const { after } = input;
  const now = after.find(type, name);
  if (now === undefined) return {};
  const isLater = input.before?.find(type, name)?.shape.hash === now.shape.hash;
  const before = (isLater ? input.describedIn?.({ type, name }) : null) ?? input.before;
  const was = before?.find(type, name);
  if (before !== null && was !== undefined) return { diff: symbolDiff([before, was], [after, now]) };
  const others = listed.flatMap((other) => {
    if (other.change !== change || other.type !== "function" || other.name === name) return [];
    return after.find(other.type, other.name) ?? [];
  });
  const isWithin = partsOf(now).every((part) => others.flatMap(partsOf).some((other) => isInside(part, other)));
  return isWithin ? {} : { code: after.withoutComments(now).join("\n") };
}

function symbolDiff([before, was]: [FileText, FileSymbol], [after, now]: [FileText, FileSymbol]): string {
  const most = now.kind === "class" ? WHOLE_CLASS : WHOLE;
  const lines = diffLines(countless(before.withoutComments(was)), countless(after.withoutComments(now)));
  // A changed line can look like a comment, in a string of several lines.
  return renderDiff(isChanged(lines) ? lines : diffLines(countless(before.own(was)), countless(after.own(now))), most);
}

const isChanged = (lines: readonly DiffLine[]) => lines.some(({ sign }) => sign !== " ");

/** A member that grew is no change of its class. */
const countless = (lines: readonly string[]) => lines.map((line) => (isOmission(line) ? omission() : line));

function fileOf(
  input: PacketInput,
  symbols: readonly SymbolVerdict[],
  { isBrief }: { isBrief: boolean },
): PacketFile | null {
  const file = symbols.find(({ type }) => type === "file");
  if (file === undefined) return null;
  const diff = isBrief ? "" : moduleDiff(input, file);
  return {
    ...{ id: file.id, change: file.change, ...previous(input, file) },
    ...(diff === "" ? {} : { diff }),
    ...(input.gone.length === 0 ? {} : { gone: [...input.gone] }),
  };
}

function moduleDiff({ before, after, describedIn }: PacketInput, file: SymbolVerdict): string {
  if (before === null) return "";
  const diff = changedStatements(before.module(), after.module());
  const described = diff === "" ? (describedIn?.(file) ?? null) : null;
  return described === null ? diff : changedStatements(described.module(), after.module());
}

/** Those nearest to the change, and no more of them than of the rest. */
const MOST_HEADS = 40;
const LEAST_ROOM = 400;

function outlineOf({ after }: PacketInput, listed: readonly SymbolVerdict[], most: number): string[] {
  let room = Math.max(LEAST_ROOM, most / 2);
  const shown = new Set(listed.map(({ id }) => id));
  const places = listed.flatMap(({ lineRange }) => (lineRange === null ? [] : [lineRange[0]]));
  const distance = (line: number) => places.reduce((least, one) => Math.min(least, Math.abs(one - line)), Infinity);
  return (
    after.symbols
      .filter(({ id }) => !shown.has(id))
      .map((symbol) => ({ symbol, far: places.length === 0 ? symbol.lineRange[0] : distance(symbol.lineRange[0]) }))
      .sort((a, b) => a.far - b.far)
      .slice(0, MOST_HEADS)
      .map(({ symbol }) => ({ line: symbol.lineRange[0], text: after.head(symbol) }))
      // A class and the constructor in its head are one line.
      .filter(({ line, text }, at, all) => all.findIndex((one) => one.line === line && one.text === text) === at)
      .filter(({ text }) => {
        room -= text.length + 4;
        return room >= 0;
      })
      .sort((a, b) => a.line - b.line)
      .map(({ text }) => text)
  );
}

/** What may have become false goes along with what is asked, behaviour first, and at most as much of it. */
function agingOf(input: PacketInput, most: number): PacketSymbol[] {
  const byConcern = (a: SymbolVerdict, b: SymbolVerdict) =>
    Number(b.change === "behaviour") - Number(a.change === "behaviour");
  const taken: PacketSymbol[] = [];
  let left = most;
  for (const one of [...input.asked.aging].filter(({ type }) => type !== "file").sort(byConcern)) {
    const symbol: PacketSymbol = { ...place(one), ...previous(input, one), ...textOf(input, one, []), aging: true };
    // A class of which only members changed; they are listed themselves.
    if (symbol.diff !== undefined && !/^[-+]/m.test(symbol.diff)) continue;
    left -= size(symbol);
    if (left < 0) break;
    taken.push(symbol);
  }
  return taken;
}

const size = (value: object): number => JSON.stringify(value).length;

/** For those who read the files themselves: only what is asked. */
export function withoutCode({ path, language, symbols, describeFile, others }: Packet): Packet {
  const file = describeFile === null ? null : { ...describeFile };
  delete file?.diff;
  return {
    ...{ path, language, outline: [] },
    symbols: symbols.map(({ code: _code, diff: _diff, ...one }) => one),
    describeFile: file,
    ...(others === undefined ? {} : { others }),
  };
}

/** Of text as models count it, some four characters each. */
export const tokensOf = (characters: number): number => Math.ceil(characters / 4);

export const packetTokens = (packet: Packet): number => tokensOf(size(packet));
