import type { Syntax } from "./syntax.js";
import type { ClassFingerprint, FileFingerprint, FunctionFingerprint, ImportFingerprint } from "./types.js";
import type { ClassDraft, FunctionDraft, Walk } from "./walk.js";

type Structure = Pick<FileFingerprint, "functions" | "classes" | "imports" | "exports" | "values">;

/** Turns what the walk found into a fingerprint: overloads merged, exports settled, lines counted. */
export function assemble(walk: Walk): Structure {
  const lines = new Lines(walk.syntax);
  for (const entry of [...walk.functions, ...walk.classes]) {
    const root = entry.name.split(".")[0] ?? "";
    if (walk.exportedLocals.has(root) || walk.exportedLocals.has(entry.name)) entry.exported = true;
  }
  for (const name of walk.exportedLocals) {
    const type = walk.locals.get(name);
    if (type !== undefined) walk.values.set(name, type);
  }
  const ordered = walk.syntax.rules.language.orderedOverloads ?? false;
  const classes = grouped(walk.classes).map((drafts) => mergeClasses(walk, lines, drafts));
  const functions = grouped(walk.functions).map((drafts) => mergeFunctions(walk, lines, drafts, ordered));
  return {
    functions,
    classes,
    imports: importsOf(walk.syntax),
    exports: [...walk.exports],
    values: [...walk.values].map(([name, type]) => ({ name, type })),
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
  const drafts = ordered || found.length === 1 ? found : found.toSorted((a, b) => (spelled(a) < spelled(b) ? -1 : 1));
  const nodes = drafts.flatMap((draft) => draft.nodes);
  const returnType = joined(drafts.map((draft) => draft.returnType));
  return {
    name: drafts[0]?.name ?? "",
    params: drafts.flatMap((draft, at) => (at === 0 ? draft.params : ["|", ...draft.params])),
    ...(returnType === "" ? {} : { returnType }),
    exported: drafts.some((draft) => draft.exported),
    lineCount: lines.count(nodes),
    lineRange: lines.range(nodes),
    signature: joined(drafts.map((draft) => draft.signature)),
    hash: walk.hash(nodes),
  };
}

const spelled = (draft: FunctionDraft) => `${draft.params.join()} ${draft.returnType} ${draft.signature}`;

/** Overloads that say the same say it once; where they differ, all of it counts. */
function joined(texts: readonly string[]): string {
  return texts.every((text) => text === texts[0]) ? (texts[0] ?? "") : texts.join(" | ");
}

/** One name can be declared in parts: merged interfaces, impl blocks, partial classes, extensions. */
function mergeClasses(walk: Walk, lines: Lines, drafts: ClassDraft[]): ClassFingerprint {
  const nodes = drafts.flatMap((draft) => draft.nodes);
  const unique = (list: (draft: ClassDraft) => string[]) => [...new Set(drafts.flatMap(list))];
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

function importsOf(syntax: Syntax): ImportFingerprint[] {
  const found: ImportFingerprint[] = [];
  const { importers } = syntax.rules;
  for (let node = 0; node < syntax.count; node++) {
    const importer = importers[syntax.type[node] ?? 0];
    if (importer === undefined) continue;
    const imports = importer(syntax, node) ?? [];
    found.push(...(Array.isArray(imports) ? imports : [imports]));
  }
  return found;
}

/** Counts the lines that hold tokens: comments, blank lines and documentation make no function longer. */
class Lines {
  private readonly starts: number[] = [0];
  /** Distinct lines with tokens up to and including each token. */
  private readonly total: number[] = [];
  private readonly span: number[] = [];
  private readonly row: number[] = [];

  constructor(private readonly syntax: Syntax) {
    const { source, tokens } = syntax;
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) this.starts.push(at + 1);
    const documentation = documentationTokens(syntax);
    let last = -1;
    let total = 0;
    let row = 0;
    for (let token = 0; token < tokens.length; token++) {
      row = this.rowOf(syntax.tokenStart[token] ?? 0, row);
      const end = this.rowOf((syntax.tokenEnd[token] ?? 1) - 1, row);
      const first = Math.max(row, last + 1);
      const counts = !documentation.has(token);
      if (counts) {
        total += Math.max(0, end - first + 1);
        last = Math.max(last, end);
      }
      this.total.push(total);
      this.span.push(counts ? end - row + 1 : 0);
      this.row.push(row);
    }
  }

  count(nodes: readonly number[]): number {
    let lines = 0;
    let counted = -1;
    for (const node of nodes) {
      const first = this.syntax.firstToken[node] ?? 0;
      const last = (this.syntax.firstToken[this.syntax.nextOf(node)] ?? 0) - 1;
      if (last < first) continue;
      lines += (this.total[last] ?? 0) - (this.total[first] ?? 0) + (this.span[first] ?? 0);
      // A decorator on the line of its method.
      if (this.row[first] === counted) lines--;
      counted = this.rowOf((this.syntax.tokenEnd[last] ?? 1) - 1, this.row[last] ?? 0);
    }
    return lines;
  }

  range(nodes: readonly number[]): [number, number] {
    let from = Number.POSITIVE_INFINITY;
    let to = 0;
    for (const node of nodes) {
      const first = this.syntax.firstToken[node] ?? 0;
      const last = (this.syntax.firstToken[this.syntax.nextOf(node)] ?? 0) - 1;
      const row = this.row[first] ?? 0;
      from = Math.min(from, row + 1);
      to = Math.max(to, last < first ? row + 1 : this.rowOf((this.syntax.tokenEnd[last] ?? 1) - 1, row) + 1);
    }
    return [Number.isFinite(from) ? from : 1, to];
  }

  /** Tokens come in order, so the search starts where the last one ended. */
  private rowOf(offset: number, from: number): number {
    let row = from;
    while (row + 1 < this.starts.length && (this.starts[row + 1] ?? 0) <= offset) row++;
    return row;
  }
}

function documentationTokens(syntax: Syntax): ReadonlySet<number> {
  const found = new Set<number>();
  const { documentation } = syntax.rules.language;
  if (documentation === undefined) return found;
  for (let node = 0; node < syntax.count; node++) {
    if (!documentation(syntax, node)) continue;
    const last = syntax.firstToken[syntax.nextOf(node)] ?? 0;
    for (let token = syntax.firstToken[node] ?? 0; token < last; token++) found.add(token);
  }
  return found;
}
