import { BehaviourEvents, COMPARES } from "./behaviour.js";
import { type CallSites, Calls } from "./calls.js";
import { hashOf } from "./hash.js";
import { Lines } from "./lines.js";
import { OwnTokens, type PieceRange } from "./own-tokens.js";
import { SignReader } from "./signs.js";
import { ERROR, type Syntax } from "./syntax.js";
import type {
  ClassFingerprint,
  FileFingerprint,
  FunctionFingerprint,
  ImportFingerprint,
  Overload,
  OwnFingerprint,
} from "./types.js";
import type { ClassDraft, FunctionDraft, Walk } from "./walk.js";

type Structure = Pick<
  FileFingerprint,
  "functions" | "classes" | "imports" | "exports" | "values" | "moduleCode" | "unreadable"
>;

/** What the parts of a fingerprint are made from. */
interface Material {
  lines: Lines;
  own: OwnTokens;
  events: BehaviourEvents;
  signs: SignReader;
}

/** Turns what the walk found into a fingerprint: overloads merged, exports settled, lines counted. */
export function assemble(walk: Walk): Structure {
  const { imports, sites, events, importNodes } = lookThrough(walk.syntax);
  const material: Material = {
    lines: new Lines(walk.syntax),
    own: new OwnTokens(walk),
    events,
    signs: new SignReader(walk.syntax),
  };
  for (const entry of walk.exportedLocals.size === 0 ? [] : [...walk.functions, ...walk.classes]) {
    const root = entry.name.split(".")[0] ?? "";
    if (walk.exportedLocals.has(root) || walk.exportedLocals.has(entry.name)) entry.exported = true;
  }
  for (const name of walk.exportedLocals) {
    const type = walk.locals.get(name);
    if (type !== undefined) walk.values.set(name, type);
  }
  const ordered = walk.syntax.rules.language.orderedOverloads ?? false;
  const classes = grouped(walk.classes).map((drafts) => mergeClasses(material, drafts));
  const calls = new Calls(walk, sites, imports);
  const functions = grouped(walk.functions).map((drafts) => {
    const called = calls.of(drafts);
    return { ...mergeFunctions(material, drafts, { ordered }), ...(called.length === 0 ? {} : { calls: called }) };
  });
  const declared = [...walk.functions, ...walk.classes].flatMap(({ nodes }) => nodes);
  const unreadable = unreadableIn(walk);
  return {
    functions,
    classes,
    imports,
    exports: [...walk.exports],
    values: [...walk.values].map(([name, type]) => ({ name, type })),
    moduleCode: ownFingerprint(material, material.own.ofModule([...declared, ...importNodes]), ""),
    ...(unreadable.length === 0 ? {} : { unreadable: hashOf(unreadable.join("\u0000")) }),
  };
}

function ownFingerprint({ own, events, signs }: Material, ranges: readonly PieceRange[], name: string): OwnFingerprint {
  const bareHash = name === "" ? undefined : own.bareHash(ranges, name);
  const behaviour = events.of(ranges);
  return {
    hash: own.hash(ranges),
    ...(bareHash === undefined ? {} : { bareHash }),
    ...(behaviour === undefined ? {} : { behaviour }),
    signs: signs.of(ranges),
  };
}

/** Each declaration of a name that has several; undefined for a single one. */
function overloadsOf(material: Material, drafts: readonly FunctionDraft[]): Overload[] | undefined {
  if (drafts.length < 2) return undefined;
  return drafts.map((draft) => {
    const ranges = material.own.ofFunction(draft.nodes);
    const behaviour = material.events.of(ranges);
    return {
      key: hashOf(spelled(draft)).slice(0, 8),
      hash: material.own.hash(ranges),
      line: material.lines.range(draft.nodes)[0],
      ...(behaviour === undefined ? {} : { behaviour }),
      ...material.signs.of(ranges),
    };
  });
}

/** What the grammar could not read outside of functions: nodes of its own for that, and text that no node covers. */
function unreadableIn({ syntax, functions, unreadable }: Walk): string[] {
  const nodes = functions.flatMap((draft) => draft.nodes);
  const isInside = (piece: number) =>
    nodes.some((node) => (syntax.pieceStart[node] ?? 0) <= piece && piece < (syntax.pieceEnd[node] ?? 0));
  const gaps = syntax.gaps.filter((piece) => !isInside(piece)).map((piece) => syntax.pieces.text(piece));
  return gaps.length === 0 ? unreadable : [...unreadable, ...gaps];
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

function mergeFunctions(
  material: Material,
  found: FunctionDraft[],
  { ordered }: { ordered: boolean },
): FunctionFingerprint {
  const { lines, own } = material;
  const { name, params, returnType, exported, signature, nodes } = mergedOverloads(found, { ordered });
  const overloads = overloadsOf(material, found);
  return {
    name,
    params,
    ...(returnType === "" ? {} : { returnType }),
    exported,
    lineCount: lines.count(nodes),
    lineRange: lines.range(nodes),
    signature,
    ...ownFingerprint(material, own.ofFunction(nodes), name),
    ...(overloads === undefined ? {} : { overloads }),
    textHash: own.textHash(own.ofFunction(nodes)),
    ...partsOf(lines, found),
  };
}

function mergedOverloads(found: FunctionDraft[], { ordered }: { ordered: boolean }): FunctionDraft {
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
    body: undefined,
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
function mergeClasses(material: Material, drafts: ClassDraft[]): ClassFingerprint {
  const { lines, own } = material;
  const name = drafts[0]?.name ?? "";
  const nodes = drafts.flatMap((draft) => draft.nodes);
  const unique = (list: (draft: ClassDraft) => string[]) => {
    const all = drafts.flatMap(list);
    return all.length < 2 ? all : [...new Set(all)];
  };
  return {
    name,
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
    ...ownFingerprint(material, own.ofClass(drafts), name),
    ...partsOf(lines, drafts),
  };
}

function partsOf(lines: Lines, drafts: readonly { nodes: readonly number[] }[]): Pick<OwnFingerprint, "parts"> {
  const parts = lines.parts(drafts);
  return parts === undefined ? {} : { parts };
}

interface Finds {
  imports: ImportFingerprint[];
  /** Statements that only import. */
  importNodes: number[];
  sites: CallSites;
  events: BehaviourEvents;
}

/** One pass over all nodes for what is looked for everywhere, also inside bodies. */
function lookThrough(syntax: Syntax): Finds {
  const finds: Finds = {
    imports: [],
    importNodes: [],
    sites: { calls: [], binders: [] },
    events: new BehaviourEvents(syntax),
  };
  const { count, type } = syntax;
  const { looked } = syntax.rules;
  for (let node = 0; node < count; node++) if (looked[type[node] as number] === 1) lookAt(syntax, node, finds);
  // What the grammar cannot read of an import may be something else.
  return { ...finds, importNodes: finds.importNodes.filter((node) => !hasError(syntax, node)) };
}

function lookAt(syntax: Syntax, node: number, { events, imports, importNodes, sites }: Finds): void {
  const { importers, importStatements, calls, binders, behaviour, noOperators } = syntax.rules;
  const type = syntax.type[node] as number;
  const bits = behaviour[type] as number;
  if (bits !== 0 && (bits !== COMPARES || noOperators[syntax.type[syntax.parentOf(node)] ?? 0] !== 1))
    events.add(node, bits);
  if (calls[type] !== undefined) {
    sites.calls.push(node);
    events.addCall(node);
  }
  if (binders[type] !== undefined) sites.binders.push(node);
  const isStatement = importStatements[type] === 1;
  const importer = importers[type];
  if (importer === undefined) {
    if (isStatement) importNodes.push(node);
    return;
  }
  const found = importer(syntax, node) ?? [];
  const imported = Array.isArray(found) ? found : [found];
  for (const one of imported) imports.push(one);
  if (isStatement && imported.length > 0) importNodes.push(node);
}

function hasError(syntax: Syntax, node: number): boolean {
  return syntax.type.subarray(node, syntax.nextOf(node)).includes(ERROR);
}
