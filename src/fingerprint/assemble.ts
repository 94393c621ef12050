import { type CallSites, Calls } from "./calls.js";
import { hashOf } from "./hash.js";
import { Lines } from "./lines.js";
import type { Syntax } from "./syntax.js";
import type { ClassFingerprint, FileFingerprint, FunctionFingerprint, ImportFingerprint } from "./types.js";
import type { ClassDraft, FunctionDraft, Walk } from "./walk.js";

type Structure = Pick<FileFingerprint, "functions" | "classes" | "imports" | "exports" | "values" | "unreadable">;

/** Turns what the walk found into a fingerprint: overloads merged, exports settled, lines counted. */
export function assemble(walk: Walk): Structure {
  const lines = new Lines(walk.syntax);
  for (const entry of walk.exportedLocals.size === 0 ? [] : [...walk.functions, ...walk.classes]) {
    const root = entry.name.split(".")[0] ?? "";
    if (walk.exportedLocals.has(root) || walk.exportedLocals.has(entry.name)) entry.exported = true;
  }
  for (const name of walk.exportedLocals) {
    const type = walk.locals.get(name);
    if (type !== undefined) walk.values.set(name, type);
  }
  const ordered = walk.syntax.rules.language.orderedOverloads ?? false;
  const classes = grouped(walk.classes).map((drafts) => mergeClasses(walk, lines, drafts));
  const { imports, sites } = lookThrough(walk.syntax);
  const calls = new Calls(walk, sites, imports);
  const functions = grouped(walk.functions).map((drafts) => {
    const called = calls.of(drafts);
    return { ...mergeFunctions(walk, lines, drafts, ordered), ...(called.length === 0 ? {} : { calls: called }) };
  });
  return {
    functions,
    classes,
    imports,
    exports: [...walk.exports],
    values: [...walk.values].map(([name, type]) => ({ name, type })),
    ...(walk.unreadable.length === 0 ? {} : { unreadable: hashOf(walk.unreadable.join("\u0000")) }),
  };
}

function grouped<T extends { name: string }>(drafts: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const draft of drafts) {
    const group = groups.get(draft.name);
    if (group === undefined) groups.set(draft.name, [draft]);
    else group.push(draft);
  }
  return [...groups.values()];
}

function mergeFunctions(walk: Walk, lines: Lines, found: FunctionDraft[], ordered: boolean): FunctionFingerprint {
  const { name, params, returnType, exported, signature, nodes } = mergedOverloads(found, ordered);
  return {
    name,
    params,
    ...(returnType === "" ? {} : { returnType }),
    exported,
    lineCount: lines.count(nodes),
    lineRange: lines.range(nodes),
    signature,
    hash: walk.hash(nodes),
  };
}

function mergedOverloads(found: FunctionDraft[], ordered: boolean): FunctionDraft {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const drafts = ordered ? found : found.toSorted((a, b) => (spelled(a) < spelled(b) ? -1 : 1));
  return {
    name: first?.name ?? "",
    params: overloads(drafts).flatMap((params, at) => (at === 0 ? params : ["|", ...params])),
    returnType: joined(drafts.map((draft) => draft.returnType)),
    exported: drafts.some((draft) => draft.exported),
    signature: signatureOf(drafts),
    nodes: drafts.flatMap((draft) => draft.nodes),
  };
}

/** Of several overloads each is spelled out: one that only combines the parts of others anew is still a new one. */
function signatureOf(drafts: readonly FunctionDraft[]): string {
  const alone = joined(drafts.map((draft) => draft.signature));
  return new Set(drafts.map(spelled)).size < 2 ? alone : joined(drafts.map(spelled));
}

/** A prototype and its definition are one. */
function overloads(drafts: readonly FunctionDraft[]): string[][] {
  return [...new Map(drafts.map(({ params }) => [params.join("\u0000"), params])).values()];
}

const spelled = (draft: FunctionDraft) => `${draft.params.join()} ${draft.returnType} ${draft.signature}`;

/** Overloads that say the same say it once; where they differ, all of it counts. */
function joined(texts: readonly string[]): string {
  return [...new Set(texts)].join(" | ");
}

/** One name can be declared in parts: merged interfaces, impl blocks, partial classes, extensions. */
function mergeClasses(walk: Walk, lines: Lines, drafts: ClassDraft[]): ClassFingerprint {
  const nodes = drafts.flatMap((draft) => draft.nodes);
  const unique = (list: (draft: ClassDraft) => string[]) => {
    const all = drafts.flatMap(list);
    return all.length < 2 ? all : [...new Set(all)];
  };
  return {
    name: drafts[0]?.name ?? "",
    methods: unique((draft) => draft.methods),
    properties: unique((draft) => draft.properties),
    exported: drafts.some((draft) => draft.exported),
    lineCount: lines.count(nodes),
    lineRange: lines.range(nodes),
    kind: drafts[0]?.kind ?? "class",
    extends: unique((draft) => draft.extends),
    implements: unique((draft) => draft.implements),
    signature: unique((draft) => [draft.signature])
      .filter((text) => text !== "")
      .join(" | "),
    hash: walk.hash(nodes),
  };
}

/** One pass over all nodes for what is looked for everywhere, also inside bodies. */
function lookThrough(syntax: Syntax): { imports: ImportFingerprint[]; sites: CallSites } {
  const imports: ImportFingerprint[] = [];
  const sites: CallSites = { calls: [], binders: [] };
  const { importers, calls, binders } = syntax.rules;
  for (let node = 0; node < syntax.count; node++) {
    const type = syntax.type[node] ?? 0;
    if (calls[type] !== undefined) sites.calls.push(node);
    if (binders[type] !== undefined) sites.binders.push(node);
    const importer = importers[type];
    if (importer === undefined) continue;
    const found = importer(syntax, node) ?? [];
    imports.push(...(Array.isArray(found) ? found : [found]));
  }
  return { imports, sites };
}
