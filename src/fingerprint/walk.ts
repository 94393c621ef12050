import { hashOf } from "./hash.js";
import { joinTokens } from "./render.js";
import type { LanguageRules } from "./rules.js";
import { ERROR, type Syntax } from "./syntax.js";
import type { ClassKind } from "./types.js";

/** Nested declarations deeper than this are left to their parents: they are not written by hand, and the stack is finite. */
const MAX_DEPTH = 60;

/** Where in the file a declaration stands. */
export interface Scope {
  /** Names of the enclosing declarations, each followed by a dot. */
  prefix: string;
  owner?: ClassDraft;
  /** The outermost node that belongs to the declaration: its `export`, its decorators. */
  outer?: number;
  /** Nodes beside the declaration that belong to it: decorators that stand before a method. */
  beside?: readonly number[];
  /** Whether what stands here is visible from outside, unless it says otherwise itself. */
  exported: boolean;
  /** The name it is exported by, where that is not its own: `default`. */
  exportAs?: string;
  depth: number;
  /** True where the prefix is a namespace, whose names are exported under their full names. */
  isNamespace?: boolean;
  /** What a language wants to remember between siblings: C++ access labels, Ruby's `private`. */
  mode?: string;
}

export interface FunctionDraft {
  name: string;
  params: string[];
  returnType: string;
  signature: string;
  exported: boolean;
  nodes: number[];
  body: number | undefined;
}

export interface ClassDraft {
  name: string;
  kind: ClassKind;
  methods: string[];
  properties: string[];
  extends: string[];
  implements: string[];
  signature: string;
  exported: boolean;
  nodes: number[];
  body: number | undefined;
}

export interface FunctionParts {
  name: string;
  params?: readonly string[];
  /** Where the grammar has no node for a type, its parts. */
  returns?: number | readonly number[] | undefined;
  /** Nodes that are no part of the signature, besides the body: name, parameters, return type. */
  cut: readonly (number | undefined)[];
  body?: number | undefined;
  /** A body that stands behind the declaration, where the grammar makes it a sibling. */
  bodyBehind?: number | undefined;
  exported?: boolean | undefined;
  /** The node whose tokens make the signature, where it is not the declaration itself. */
  signatureOf?: number;
  /** Text that belongs to the signature but stands elsewhere. */
  also?: string;
}

export interface ClassParts {
  name: string;
  kind: ClassKind;
  extends?: readonly string[];
  implements?: readonly string[];
  cut: readonly (number | undefined)[];
  body?: number | undefined;
  exported?: boolean | undefined;
  signatureOf?: number;
}

/** Collects what a file declares. Languages call it from their handlers; it knows nothing of any language. */
export class Walk {
  readonly functions: FunctionDraft[] = [];
  readonly classes: ClassDraft[] = [];
  readonly exports = new Set<string>();
  /** Exported variables and their types. */
  readonly values = new Map<string, string>();
  /** Variables at the top of the file, exported or not. */
  readonly locals = new Map<string, string>();
  /** Names that an export list elsewhere in the file makes visible. */
  readonly exportedLocals = new Set<string>();
  readonly unreadable: string[] = [];
  private readonly rules: LanguageRules;

  constructor(
    readonly syntax: Syntax,
    readonly filePath: string,
  ) {
    this.rules = syntax.rules.language;
  }

  run(): void {
    const top: Scope = { prefix: "", exported: false, depth: 0 };
    this.inside(0, top);
    this.rules.finish?.(this, 0, top);
  }

  /** Walks a node's descendants; those with a handler get it, and are not looked into further here. */
  inside(node: number, scope: Scope): void {
    const { syntax } = this;
    const { handlers, leading } = syntax.rules;
    const end = syntax.nextOf(node);
    let beside: number[] = [];
    let brokenUntil = 0;
    for (let at = node + 1; at < end; ) {
      const type = syntax.type[at] ?? 0;
      if (type === ERROR) brokenUntil = Math.max(brokenUntil, syntax.nextOf(at));
      const handler = handlers[type];
      if (leading[type] === 1) {
        if (!syntax.isSilent(at)) beside.push(at);
      } else if (handler === undefined) {
        if (at < brokenUntil && syntax.isLeaf(at)) this.addUnreadable(at);
        at++;
        continue;
      } else {
        handler(this, at, beside.length === 0 ? scope : { ...scope, beside });
        beside = [];
      }
      at = syntax.nextOf(at);
    }
  }

  /** Walks one node, handler or not. */
  visit(node: number, scope: Scope): void {
    const handler = this.syntax.rules.handlers[this.syntax.type[node] ?? 0];
    if (handler !== undefined) handler(this, node, scope);
    else this.inside(node, scope);
  }

  addFunction(node: number, scope: Scope, parts: FunctionParts): void {
    const outer = scope.outer ?? node;
    const beside = scope.beside ?? [];
    const name = scope.prefix + parts.name;
    this.functions.push({
      name,
      params: [...(parts.params ?? [])],
      returnType: this.typeText(parts.returns ?? []),
      signature: this.signature(parts.signatureOf ?? outer, [...parts.cut, parts.body], beside, parts.also),
      exported: parts.exported ?? scope.exported,
      nodes: [...beside, outer, ...(parts.bodyBehind === undefined ? [] : [parts.bodyBehind])],
      body: parts.body ?? parts.bodyBehind,
    });
    scope.owner?.methods.push(parts.name);
    if (parts.exported ?? scope.exported) this.addExport(scope, parts.name);
  }

  /** Only names at the top of the file are exported; members come with their class. */
  addExport(scope: Scope, name: string): void {
    if (scope.prefix === "" || scope.isNamespace) this.exports.add(scope.exportAs ?? scope.prefix + name);
  }

  /** A name of the file that others use, without a type. */
  addValue(name: string): void {
    this.exports.add(name);
    this.values.set(name, "");
  }

  addClass(node: number, scope: Scope, parts: ClassParts): Scope {
    const outer = scope.outer ?? node;
    const draft: ClassDraft = {
      name: scope.prefix + parts.name,
      kind: parts.kind,
      methods: [],
      properties: [],
      extends: [...(parts.extends ?? [])],
      implements: [...(parts.implements ?? [])],
      signature: this.signature(parts.signatureOf ?? outer, [...parts.cut, parts.body], scope.beside ?? []),
      exported: parts.exported ?? scope.exported,
      nodes: [...(scope.beside ?? []), outer],
      body: parts.body,
    };
    this.classes.push(draft);
    if (draft.exported) this.addExport(scope, parts.name);
    return { prefix: `${draft.name}.`, owner: draft, exported: draft.exported, depth: scope.depth + 1 };
  }

  /** A member that is no function, in our one spelling: `readonly x: number`. Its initial value is not part of it. */
  addProperty(node: number, scope: Scope, cut?: ReadonlySet<number>): void {
    const beside = (scope.beside ?? []).map((one) => this.syntax.render(one));
    const text = this.syntax.render(scope.outer ?? node, cut);
    scope.owner?.properties.push([...beside, text.replace(/\s*:?=?\s*[;,]?$/, "")].join(" "));
  }

  /** Text outside of all declarations that the grammar could not read, and that may well declare something. */
  addUnreadable(node: number): void {
    this.syntax.pushTokens(node, this.unreadable);
  }

  tooDeep(scope: Scope): boolean {
    return scope.depth > MAX_DEPTH;
  }

  /** Of all tokens and the shape of the tree. */
  fileHash(): string {
    const { pieces } = this.syntax;
    return hashOf(Buffer.concat([this.syntax.stream(0), pieces.shapeBytes()]));
  }

  /** `: string` and `-> int` without the mark that introduces them. */
  private typeText(nodes: number | readonly number[]): string {
    const { syntax } = this;
    const text =
      typeof nodes === "number" ? syntax.render(nodes) : joinTokens(nodes.map((node) => syntax.render(node)));
    return text.replace(/^(?::|->)\s*/, "");
  }

  private signature(of: number, cut: FunctionParts["cut"], beside: readonly number[], also = ""): string {
    const without = new Set(cut.filter((node) => node !== undefined));
    const { syntax } = this;
    const parts = beside.map((one) => syntax.render(one));
    parts.push(syntax.render(of, without, syntax.rules.noise), also);
    return parts.filter((part) => part !== "").join(" ");
  }
}
