import { hashOf } from "./hash.js";
import { isGeneratedPath, isTestPath } from "./paths.js";
import type {
  Behaviour,
  ClassFingerprint,
  Drift,
  FileFingerprint,
  FunctionFingerprint,
  OwnFingerprint,
} from "./types.js";

/** One symbol of a file in the form in which any two are compared; it says enough to tell drift after the text is gone. */
export interface SymbolFacts extends OwnFingerprint {
  path: string;
  /** `module`: the code of the file outside of its functions and classes. */
  kind: "function" | "class" | "module";
  /** Qualified: `Queue.push`; empty for a module. */
  name: string;
  /** Hash of all that is visible from outside. */
  signature: string;
  /** True in a test or a generated file: there a changed body never counts as behaviour. */
  isAside: boolean;
}

/** Same-named declarations are one symbol already; a file without structural analysis has none. */
export function symbolFacts(file: FileFingerprint): SymbolFacts[] {
  const { filePath: path, functions, classes, moduleCode } = file;
  const shared = { path, isAside: isAside(file) };
  return [
    ...functions.map((one) => ({ ...shared, kind: "function" as const, ...ownOf(one), ...seenOfFunction(one) })),
    ...classes.map((one) => ({ ...shared, kind: "class" as const, ...ownOf(one), ...seenOfClass(one) })),
    ...(moduleCode === undefined
      ? []
      : [{ ...shared, kind: "module" as const, name: "", ...ownOf(moduleCode), signature: seenOfModule(file) }]),
  ];
}

/** True for a test or a generated file. */
export function isAside({ filePath, isGenerated }: Pick<FileFingerprint, "filePath" | "isGenerated">): boolean {
  return isTestPath(filePath) || isGeneratedPath(filePath) || isGenerated === true;
}

function ownOf({ hash, bareHash, behaviour, textHash }: OwnFingerprint): OwnFingerprint {
  return {
    hash,
    ...(bareHash === undefined ? {} : { bareHash }),
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(textHash === undefined ? {} : { textHash }),
  };
}

const spelled = (...parts: unknown[]) => hashOf(JSON.stringify(parts));

function seenOfFunction({ name, params, returnType, exported, signature }: FunctionFingerprint) {
  return { name, signature: spelled(params, returnType ?? "", exported, signature) };
}

function seenOfClass(one: ClassFingerprint) {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort();
  const isOrdered = one.kind === "enum" || one.kind === "struct";
  const properties = isOrdered ? one.properties : sorted(one.properties);
  const lists = [sorted(one.methods), properties, sorted(one.extends), sorted(one.implements)];
  return { name: one.name, signature: spelled(one.kind, ...lists, one.exported, one.signature) };
}

function seenOfModule({ values = [], unreadable = "" }: FileFingerprint): string {
  return spelled(values.map(({ name, type }) => `${name}: ${type}`).sort(), unreadable);
}

/** What moved and was renamed is `renamed`. */
export type SymbolDrift = Drift | "moved" | "renamed";

/** What the rule for behaviour needs of a symbol. */
export type Behaving = Partial<Pick<SymbolFacts, "hash" | "behaviour" | "isAside"> & { isModule: boolean }>;

/**
 * Of two contents of one symbol; never in a test or a generated file. What a module calls registers things: routes, handlers, parts
 * of a schema; there another set of calls is enough.
 */
export function isBehaviourDrift(before: Behaving, after: Behaving): boolean {
  if (before.hash === after.hash || before.isAside === true || after.isAside === true) return false;
  const isCalling = after.isModule === true && (before.behaviour?.[3] ?? "") !== (after.behaviour?.[3] ?? "");
  return isCalling || isBehaviourChange(before.behaviour, after.behaviour);
}

export const NOTHING: Behaviour = [0, 0, 0, ""];
/** One or two comparisons more or less are most often the same condition, written otherwise. */
const MANY_COMPARISONS = 3;
/** A sentence about a symbol with so few branches, comparisons and calls mentions each of them. */
const FEW = 8;

/** Whether a sentence about the symbol may have become false. */
export function isBehaviourChange(before: Behaviour = NOTHING, after: Behaviour = NOTHING): boolean {
  const [branches, throws, comparisons, callees] = before;
  const [branchesNow, throwsNow, comparisonsNow, calleesNow] = after;
  if (branches !== branchesNow || throws !== throwsNow) return true;
  if (Math.abs(comparisons - comparisonsNow) >= MANY_COMPARISONS) return true;
  const isSmall = branches + comparisons + callCount(callees) <= FEW;
  return isSmall && (comparisons !== comparisonsNow || callees !== calleesNow);
}

/** How many calls a hash of callees is of: it begins with their number. */
const callCount = (callees: string): number => Number.parseInt(callees, 10) || 0;

/** Order does not matter, nor how often a thing is named, or whether one statement names two things or two statements name one each. */
export function importedNames({ imports }: Pick<FileFingerprint, "imports">): string[] {
  return imports.flatMap(({ source, specifiers }) => [source, ...specifiers.map((name) => `${source}\u0000${name}`)]);
}
