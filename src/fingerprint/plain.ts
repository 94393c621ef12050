import type { PlainStructure } from "./plain-structure.js";

/**
 * Fingerprints as the systems before us keep them, and their rule for comparing two of them. Such an entry says nothing
 * about tokens, so that a comment and a new body look alike; both are COSMETIC there. The second block of each shape is
 * what only our own entries have (types.ts).
 */
interface PlainFunction {
  name: string;
  params: string[];
  returnType?: string | undefined;
  exported: boolean;
  lineCount: number;

  signature?: string;
  hash?: string;
}

interface PlainClass {
  name: string;
  methods: string[];
  properties: string[];
  exported: boolean;
  lineCount: number;

  signature?: string;
  hash?: string;
}

export interface PlainFingerprint {
  filePath: string;
  contentHash: string;
  functions: PlainFunction[];
  classes: PlainClass[];
  imports: { source: string; specifiers: string[] }[];
  exports: string[];
  totalLines: number;
  hasStructuralAnalysis: boolean;

  extractor?: string;
  blobOid?: string;
  tokenHash?: string;
  plain?: PlainStructure;
}

/** A function this much longer or shorter does something else than what was written about it. */
const GREW = 1.5;
const SHRANK = 0.5;

export function isSizeChange(before: number, after: number): boolean {
  return before > 0 && (after / before > GREW || after / before < SHRANK);
}

export function sizeDetail(name: string, before: number, after: number): string {
  return `significant size change: ${name} (${before} → ${after} lines)`;
}

/** All that differs in structure; nothing: the file changed inside only. */
export function plainDetails(before: PlainFingerprint, after: PlainFingerprint): string[] {
  return [
    ...comings("function", before.functions, after.functions),
    ...inBoth(before.functions, after.functions).flatMap(([old, now]) => functionDetails(old, now)),
    ...comings("class", before.classes, after.classes),
    ...inBoth(before.classes, after.classes).flatMap(([old, now]) => classDetails(old, now)),
    ...(sameBag(before.imports.map(spelled), after.imports.map(spelled)) ? [] : ["imports changed"]),
    ...(sameBag(before.exports, after.exports) ? [] : ["exports changed"]),
  ];
}

function comings(what: string, before: readonly { name: string }[], after: readonly { name: string }[]): string[] {
  const [old, now] = [before, after].map((list) => new Set(list.map(({ name }) => name)));
  const missing = (from: Iterable<string> = [], other?: ReadonlySet<string>) => [...from].filter((n) => !other?.has(n));
  return [
    ...missing(now, old).map((name) => `new ${what}: ${name}`),
    ...missing(old, now).map((name) => `removed ${what}: ${name}`),
  ];
}

/** Each new entry with the first old one of its name. */
function inBoth<T extends { name: string }>(before: readonly T[], after: readonly T[]): [T, T][] {
  return after.flatMap((now) => {
    const old = before.find(({ name }) => name === now.name);
    return old === undefined ? [] : [[old, now] as [T, T]];
  });
}

function functionDetails(before: PlainFunction, after: PlainFunction): string[] {
  const { name } = after;
  const details: string[] = [];
  if (JSON.stringify(before.params) !== JSON.stringify(after.params)) details.push(`params changed: ${name}`);
  if (before.returnType !== after.returnType) details.push(`return type changed: ${name}`);
  if (before.exported !== after.exported) details.push(`export status changed: ${name}`);
  if (isSizeChange(before.lineCount, after.lineCount))
    details.push(sizeDetail(name, before.lineCount, after.lineCount));
  return details;
}

function classDetails(before: PlainClass, after: PlainClass): string[] {
  const { name } = after;
  const details: string[] = [];
  if (!sameBag(before.methods, after.methods)) details.push(`methods changed: ${name}`);
  if (!sameBag(before.properties, after.properties)) details.push(`properties changed: ${name}`);
  if (before.exported !== after.exported) details.push(`export status changed: ${name}`);
  return details;
}

function spelled({ source, specifiers }: { source: string; specifiers: readonly string[] }): string {
  return JSON.stringify([source, ...specifiers.toSorted()]);
}

/** The same texts, each as often, in any order. */
function sameBag(a: readonly string[], b: readonly string[]): boolean {
  return JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted());
}
