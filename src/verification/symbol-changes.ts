import { pairSymbols } from "../fingerprint/pairs.js";
import { isSizeChange } from "../fingerprint/plain.js";
import type { SymbolDrift } from "../fingerprint/symbols.js";
import { nearnessOfContent } from "../knowledge/choose.js";
import { type AnalysedSymbols, symbolKey } from "../knowledge/symbol-baseline.js";
import type { FileSymbolState, SymbolState, SymbolType } from "../knowledge/symbol-states.js";
import { isNumber, isText, objectOf, oneOf, orNull, pairOf } from "../store/check.js";

/** A symbol of a file that is not what was analysed. */
export interface SymbolVerdict {
  id: string;
  type: SymbolType;
  name: string;
  change: Exclude<SymbolDrift, "none" | "cosmetic">;
  /** At HEAD; null for the file, and for a symbol that is gone. */
  lineRange: [number, number] | null;
  /** At HEAD; of a symbol that is gone, as it was. */
  hash: string;
  bareHash?: string;
  /** Its former name, if it was renamed. */
  from?: string;
  /** It has much more or fewer lines than when it was analysed. */
  resized?: true;
  /** Of a file: what it imports or passes on changed; `change` is `interface` if nothing else did. */
  beside?: true;
}

const CHANGES = ["moved", "renamed", "body", "behaviour", "interface", "new", "gone"] as const;
const isTrue = (value: unknown): value is true => value === true;

/** For one that is read from the database. */
export const isSymbolVerdict = objectOf<SymbolVerdict>(
  {
    ...{ id: isText, name: isText, hash: isText },
    type: oneOf<SymbolType>("file", "function", "class"),
    change: oneOf<SymbolVerdict["change"]>(...CHANGES),
    lineRange: orNull(pairOf(isNumber, isNumber)),
  },
  { bareHash: isText, from: isText, resized: isTrue, beside: isTrue },
);

/**
 * How far each symbol of a file is from its analysed content. Pure. `apart`: symbols whose analysed content is not the
 * one of `before`.
 */
export function changedSymbols(
  before: readonly FileSymbolState[],
  after: readonly FileSymbolState[],
  apart: AnalysedSymbols = new Map(),
): SymbolVerdict[] {
  const old = new Map<string, SymbolState | null>(before.map((one) => [symbolKey(one), one.state]));
  for (const [key, state] of apart) old.set(key, state);
  const changed = after.flatMap((one) => {
    const was = old.get(symbolKey(one));
    const found = was === undefined || was === null ? { change: "new" as const } : driftOf(was, one);
    return found === null ? [] : [{ ...placeOf(one), ...found }];
  });
  const there = new Set(after.map(symbolKey));
  const gone = before.filter((one) => !there.has(symbolKey(one)));
  return withRenames([
    ...changed,
    ...gone.map((one) => ({ ...placeOf(one), lineRange: null, change: "gone" as const })),
  ]);
}

function placeOf({ id, type, name, lineRange, state: { hash, bareHash } }: FileSymbolState) {
  return { id, type, name, lineRange, hash, ...(bareHash === undefined ? {} : { bareHash }) };
}

function driftOf(
  was: SymbolState,
  { type, name, state }: FileSymbolState,
): Pick<SymbolVerdict, "change" | "resized" | "beside"> | null {
  const place = { type, path: "", name };
  const nearness = nearnessOfContent({ ...place, ...state }, { ...place, ...was });
  const beside = was.beside === state.beside ? {} : { beside: true as const };
  if (nearness === "exact") return was.beside === state.beside ? null : { change: "interface", ...beside };
  const isResized = was.lines !== undefined && state.lines !== undefined && isSizeChange(was.lines, state.lines);
  return { change: nearness, ...(isResized ? { resized: true } : {}), ...(nearness === "interface" ? {} : beside) };
}

/** Nothing but what a file imports or passes on. */
export const isOnlyBeside = ({ change, beside }: SymbolVerdict): boolean => beside === true && change === "interface";

/** A symbol that is gone and one that came with the same body are one, under another name. */
export function withRenames(verdicts: readonly SymbolVerdict[]): SymbolVerdict[] {
  const pick = (change: SymbolVerdict["change"]) =>
    verdicts.filter((one) => one.change === change && one.type !== "file").map((one) => ({ ...one, kind: one.type }));
  const pairs = pairSymbols(pick("gone"), pick("new"));
  if (pairs.length === 0) return [...verdicts];
  const renamed = new Map(pairs.map(({ before, after }) => [after.id, before.name]));
  const left = new Set(pairs.map(({ before }) => before.id));
  return verdicts.flatMap((one): SymbolVerdict[] => {
    if (one.change === "gone" && left.has(one.id)) return [];
    const from = one.change === "new" ? renamed.get(one.id) : undefined;
    return [from === undefined ? one : { ...one, change: "renamed", from }];
  });
}

/** Symbols that left one file for another, with an equal body: in their new file they are not new. */
export function withMoves<T extends { filePath: string; symbols?: SymbolVerdict[] }>(files: readonly T[]): T[] {
  const all = files.flatMap(({ filePath, symbols = [] }) =>
    symbols.filter(({ type }) => type !== "file").map((one) => ({ ...one, kind: one.type, path: filePath })),
  );
  const pairs = pairSymbols(
    all.filter(({ change }) => change === "gone"),
    all.filter(({ change }) => change === "new"),
  );
  if (pairs.length === 0) return [...files];
  const changes = new Map(pairs.map(({ after, change }) => [after.id, change]));
  return files.map((file) =>
    file.symbols === undefined
      ? file
      : {
          ...file,
          symbols: file.symbols.map((one) => {
            const change = one.change === "new" ? changes.get(one.id) : undefined;
            return change === undefined ? one : { ...one, change };
          }),
        },
  );
}

/** A change of a symbol as a detail of its file. */
export function detailOf({ type, name, change, resized, beside }: SymbolVerdict): string {
  if (beside === true) return "imports changed";
  if (change === "new") return type === "file" ? "new file" : `new ${type}: ${name}`;
  if (resized === true) return `significant size change: ${name}`;
  if (change === "interface") return type === "file" ? "exports changed" : `signature changed: ${name}`;
  if (change === "behaviour") return `behaviour changed: ${type === "file" ? "module level" : name}`;
  return "internal logic changed (no structural impact)";
}
