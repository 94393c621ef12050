import type { Syntax } from "./syntax.js";

/**
 * What Understand-Anything's extractor finds in a file. It is coarser than our own facts and has rules of its own: bare names, parameters
 * by name, lines with blank ones. Its rule compares entries of fingerprints.json with what its own core finds later, so an entry has to
 * be what its core would have written. Tuples, because it is stored with the facts of each content.
 */
export interface PlainStructure {
  /** In the order of the source, one for each overload. */
  functions: [name: string, lineCount: number, params: string[], returnType?: string][];
  classes: [name: string, lineCount: number, methods: string[], properties: string[]][];
  imports: [source: string, specifiers: string[]][];
  /** A function or class is exported if its bare name is here. */
  exports: string[];
  totalLines: number;
}

export type PlainHandler = (draft: PlainDraft, node: number) => void;

/** Node type → what to do with such a child of the root. Other children are not looked at. */
export type PlainRules = Readonly<Record<string, PlainHandler>>;

/** Collects what the handlers of a language find. */
export class PlainDraft {
  readonly functions: PlainStructure["functions"] = [];
  readonly classes: PlainStructure["classes"] = [];
  readonly imports: PlainStructure["imports"] = [];
  readonly exports: string[] = [];
  private readonly methods = new Map<string, string[]>();

  constructor(readonly syntax: Syntax) {}

  visitChildren(node: number, handlers: PlainRules): void {
    for (const child of this.syntax.children(node)) {
      const type = this.syntax.typeOf(child);
      if (Object.hasOwn(handlers, type)) handlers[type]?.(this, child);
    }
  }

  /** `node`: what has the lines that count. */
  addFunction(node: number, name: string, params: string[], returnType?: string): void {
    const lines = this.lineCount(node);
    this.functions.push(returnType === undefined ? [name, lines, params] : [name, lines, params, returnType]);
  }

  addClass(node: number, name: string, methods: string[], properties: string[]): void {
    this.classes.push([name, this.lineCount(node), methods, properties]);
  }

  /** A method that stands outside of its class. */
  addMethod(className: string, name: string): void {
    const known = this.methods.get(className);
    if (known === undefined) this.methods.set(className, [name]);
    else known.push(name);
  }

  addImport(source: string, specifiers: string[]): void {
    this.imports.push([source, specifiers]);
  }

  finished(): PlainStructure {
    for (const [name, , methods] of this.classes) {
      for (const method of this.methods.get(name) ?? []) methods.push(method);
    }
    return {
      functions: this.functions,
      classes: this.classes,
      imports: this.imports,
      exports: this.exports,
      totalLines: linesOf(this.syntax.source),
    };
  }

  /** First to last line, blank lines and comments included. */
  private lineCount(node: number): number {
    return linesOf(this.syntax.text(node));
  }
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Undefined for a language whose extractor we do not follow. */
export function plainStructureOf(syntax: Syntax): PlainStructure | undefined {
  const { plain } = syntax.rules.language;
  if (plain === undefined) return undefined;
  const draft = new PlainDraft(syntax);
  draft.visitChildren(0, plain);
  return draft.finished();
}

/** The text of the child with this field name; undefined where there is none. */
export function fieldText(syntax: Syntax, node: number, field: string): string | undefined {
  const child = syntax.child(node, field);
  return child === undefined ? undefined : syntax.text(child);
}

/** The text of the first child of one of these types. */
export function childText(syntax: Syntax, node: number, ...types: string[]): string | undefined {
  const child = syntax.childOfType(node, ...types);
  return child === undefined ? undefined : syntax.text(child);
}

/** The texts of what is found for each node; nodes without one are left out. */
export function textsOf(
  syntax: Syntax,
  nodes: readonly number[],
  find: (syntax: Syntax, node: number) => string | undefined,
): string[] {
  return nodes.map((node) => find(syntax, node)).filter((text) => text !== undefined);
}
