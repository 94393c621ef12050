import { joinTokens } from "./render.js";
import type { Handler } from "./rules.js";
import type { Syntax } from "./syntax.js";
import type { ClassKind } from "./types.js";
import type { Scope, Walk } from "./walk.js";

/** Where a function keeps its parts; the defaults are what most grammars call them. */
export interface FunctionFields {
  name?: string;
  params?: string;
  returns?: string;
  body?: string;
  exported?: (walk: Walk, node: number, scope: Scope, name: string) => boolean;
}

export interface ClassFields {
  kind: ClassKind;
  name?: string;
  body?: string;
  /** Fields or child types that hold what is extended or implemented. */
  extends?: readonly string[];
  implements?: readonly string[];
  exported?: (walk: Walk, node: number, scope: Scope, name: string) => boolean;
}

/** A function or method whose parts are fields of its node. */
export function fn(fields: FunctionFields = {}): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = syntax.child(node, fields.name ?? "name");
    if (name === undefined) return;
    const params = syntax.child(node, fields.params ?? "parameters");
    const returns = syntax.child(node, fields.returns ?? "return_type");
    const text = syntax.render(name);
    const exported = fields.exported?.(walk, node, scope, text);
    walk.addFunction(node, scope, {
      name: text,
      params: paramsOf(syntax, params),
      returns,
      cut: [name, params, returns, syntax.child(node, fields.body ?? "body")],
      ...(exported === undefined ? {} : { exported }),
    });
  };
}

/** A class, or anything else with members. */
export function cls(fields: ClassFields): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = syntax.child(node, fields.name ?? "name");
    if (name === undefined || walk.tooDeep(scope)) return;
    const body = syntax.child(node, fields.body ?? "body");
    const above = partsOf(syntax, node, fields.extends);
    const promised = partsOf(syntax, node, fields.implements);
    const text = syntax.render(name);
    const exported = fields.exported?.(walk, node, scope, text);
    const inner = walk.addClass(node, scope, {
      name: text,
      kind: fields.kind,
      extends: above.texts,
      implements: promised.texts,
      cut: [name, body, ...above.nodes, ...promised.nodes],
      ...(exported === undefined ? {} : { exported }),
    });
    if (body !== undefined) walk.visit(body, inner);
  };
}

/** A member that is no function. */
export const property: Handler = (walk, node, scope) => walk.addProperty(node, scope);

/** Something with a scope of its own that nobody sees into: declarations inside do not count. */
export const opaque: Handler = () => {};

/** Each parameter in our one spelling, defaults' values left out. */
export function paramsOf(syntax: Syntax, params: number | undefined): string[] {
  if (params === undefined) return [];
  if (syntax.isLeaf(params)) return [syntax.render(params)];
  return syntax.namedChildren(params).map((param) => syntax.render(param));
}

/** The entries of heritage clauses: children with one of these fields or types, split at their commas. */
export function partsOf(
  syntax: Syntax,
  node: number,
  wanted: readonly string[] = [],
): { nodes: number[]; texts: string[] } {
  const nodes: number[] = [];
  const texts: string[] = [];
  for (const child of syntax.children(node)) {
    if (!wanted.includes(syntax.fieldOf(child)) && !wanted.includes(syntax.typeOf(child))) continue;
    nodes.push(child);
    texts.push(...entriesOf(syntax, child));
  }
  return { nodes, texts };
}

const INTRODUCING = new Set(["extends", "implements", "with", ":", "(", ")", ",", "<", "permits"]);

/** `extends A<B>, C` gives `A<B>` and `C`. */
function entriesOf(syntax: Syntax, clause: number): string[] {
  if (!/clause|list|heritage|super|interfaces|delegation|arguments|permits|specifier/.test(syntax.typeOf(clause))) {
    return [syntax.render(clause)];
  }
  const entries: string[] = [];
  let joined = false;
  for (const child of syntax.children(clause)) {
    const type = syntax.typeOf(child);
    if (type.endsWith("_list")) entries.push(...entriesOf(syntax, child));
    else if (!syntax.isNamed(child) && INTRODUCING.has(type)) joined = false;
    else {
      const text = syntax.render(child);
      entries.push(joined ? joinTokens([entries.pop() ?? "", text]) : text);
      joined = true;
    }
  }
  return entries;
}

/** Fields that one declaration gives several names: each with what they share, `private int x` and `private int y`. */
export function declarators(field: string, valueFields: readonly string[] = ["value"]): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const all = syntax.childrenOf(node, field);
    const shared = syntax.render(node, new Set(all), new Set([",", ";"]));
    for (const declarator of all) {
      const values = valueFields.map((name) => syntax.child(declarator, name)).filter((value) => value !== undefined);
      const name = syntax.render(declarator, new Set(values), new Set(["="]));
      scope.owner?.properties.push([...beside(walk, scope), shared, name].join(" "));
    }
  };
}

const beside = (walk: Walk, scope: Scope) => (scope.beside ?? []).map((node) => walk.syntax.render(node));

/** True if the declaration carries this word, directly or in a list of modifiers. */
export function hasModifier(syntax: Syntax, node: number, ...words: string[]): boolean {
  for (const child of syntax.children(node)) {
    const type = syntax.typeOf(child);
    if (!/modifier|visibility|access/.test(type)) continue;
    if (
      syntax
        .render(child)
        .split(/[\s()]+/)
        .some((word) => words.includes(word))
    )
      return true;
  }
  return false;
}

/** A type alias or anything else that is one text: an entry with that text as its only property. */
export function alias(fields: { name?: string; value?: string; exported?: ClassFields["exported"] } = {}): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = syntax.child(node, fields.name ?? "name");
    const value = syntax.child(node, fields.value ?? "type");
    if (name === undefined) return;
    const text = syntax.render(name);
    const exported = fields.exported?.(walk, node, scope, text);
    const inner = walk.addClass(node, scope, {
      name: text,
      kind: "type",
      cut: [name, value],
      ...(exported === undefined ? {} : { exported }),
    });
    if (value !== undefined) walk.addProperty(value, inner);
  };
}
