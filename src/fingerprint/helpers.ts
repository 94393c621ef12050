import { joinTokens } from "./render.js";
import type { Handler } from "./rules.js";
import type { Syntax } from "./syntax.js";
import type { ClassKind } from "./types.js";
import type { Scope, Walk } from "./walk.js";

/**
 * Where a part of a declaration is: a field, else a child of that type; `:` and `->` stand for what follows that token. Of
 * several, the first that is there.
 */
type PartPlace = string | readonly string[];

export function pick(syntax: Syntax, node: number, place: PartPlace): number | undefined {
  for (const one of typeof place === "string" ? [place] : place) {
    const found =
      syntax.child(node, one) ?? (/\w/.test(one) ? syntax.childOfType(node, one) : after(syntax, node, one));
    if (found !== undefined) return found;
  }
  return undefined;
}

function after(syntax: Syntax, node: number, token: string): number | undefined {
  const mark = syntax.childOfType(node, token);
  if (mark === undefined) return undefined;
  const next = syntax.nextOf(mark);
  return next < syntax.nextOf(node) ? next : undefined;
}

type Visibility = (walk: Walk, node: number, scope: Scope, name: string) => boolean;

/** Where a function keeps its parts; the defaults are what most grammars call them. */
export interface FunctionFields {
  name?: string | ((syntax: Syntax, node: number) => string);
  params?: PartPlace;
  returns?: PartPlace;
  body?: PartPlace;
  /** Parts that are neither signature nor body: C++'s member initialisers. */
  without?: readonly string[];
  exported?: Visibility;
  /** What belongs to the signature but is said elsewhere: Ruby's `private` line. */
  also?: (scope: Scope) => string;
}

export interface ClassFields {
  kind: ClassKind | ((syntax: Syntax, node: number) => ClassKind);
  name?: string;
  body?: PartPlace;
  /** Fields or child types that hold what is extended or implemented. */
  extends?: readonly string[];
  implements?: readonly string[];
  exported?: Visibility;
}

/** A function or method whose parts are children of its node. */
export function fn(fields: FunctionFields = {}): Handler {
  const { name: named = "name", params: paramsAt = "parameters", returns: returnsAt = "return_type" } = fields;
  const { body: bodyAt = "body", without = [], exported: isExported, also } = fields;
  const nameAt = typeof named === "string" ? named : "name";
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = pick(syntax, node, nameAt);
    const text = typeof named === "function" ? named(syntax, node) : name === undefined ? "" : syntax.render(name);
    if (text === "") return;
    const params = pick(syntax, node, paramsAt);
    const returns = pick(syntax, node, returnsAt);
    const cut = [name, params, returns];
    for (const type of without) cut.push(syntax.childOfType(node, type));
    walk.addFunction(node, scope, {
      name: text,
      params: paramsOf(syntax, params),
      returns,
      cut,
      body: pick(syntax, node, bodyAt),
      also: also?.(scope) ?? "",
      exported: isExported?.(walk, node, scope, text),
    });
  };
}

/** A class, or anything else with members. */
export function cls(fields: ClassFields): Handler {
  const { kind, name: nameAt = "name", body: bodyAt = "body", exported: isExported } = fields;
  const { extends: aboveAt = [], implements: promisedAt = [] } = fields;
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = pick(syntax, node, nameAt);
    if (name === undefined || walk.tooDeep(scope)) return;
    const body = pick(syntax, node, bodyAt);
    const above = partsOf(syntax, node, aboveAt);
    const promised = partsOf(syntax, node, promisedAt);
    const text = syntax.render(name);
    const inner = walk.addClass(node, scope, {
      name: text,
      kind: typeof kind === "string" ? kind : kind(syntax, node),
      extends: above.texts,
      implements: promised.texts,
      cut: [name, ...above.nodes, ...promised.nodes],
      body,
      exported: isExported?.(walk, node, scope, text),
    });
    if (body !== undefined) walk.visit(body, inner);
  };
}

/** A member that is no function. */
export const property: Handler = (walk, node, scope) => walk.addProperty(node, scope);

/** Something with a scope of its own that is not visible from outside: declarations inside do not count. */
export const opaque: Handler = () => {};

/** Each parameter in our one spelling: `a: string`, `b: number =` where there is a default. */
export function paramsOf(syntax: Syntax, params: number | undefined): string[] {
  if (params === undefined) return [];
  return syntax.isLeaf(params) ? [syntax.render(params)] : paramTexts(syntax, syntax.children(params));
}

/** The same for parameters that have no node around them. */
export function paramTexts(syntax: Syntax, nodes: Iterable<number>): string[] {
  const groups: number[][] = [[]];
  for (const child of nodes) {
    const type = syntax.typeOf(child);
    if (type === ",") groups.push([]);
    else if (syntax.isNamed(child) || !BRACKETS.has(type)) groups.at(-1)?.push(child);
  }
  return groups.filter((group) => group.length > 0).map((group) => paramText(syntax, group));
}

const BRACKETS = new Set(["(", ")", "[", "]", "{", "}", "|", "<", ">", ";"]);

/** That there is a default counts, its value does not. Grammars put it inside the parameter or beside it. */
function paramText(syntax: Syntax, group: readonly number[]): string {
  const first = group[0];
  const parts = group.length === 1 && first !== undefined && !syntax.isLeaf(first) ? syntax.children(first) : group;
  const mark = parts.findIndex((part) => !syntax.isNamed(part) && syntax.typeOf(part) === "=");
  if (mark >= 0) return joinTokens([...parts.slice(0, mark).map((part) => syntax.render(part)), "="]);
  const text = joinTokens(group.map((part) => syntax.render(part)));
  const isValueElided = group.some((part) => syntax.child(part, "value") !== undefined);
  return isValueElided ? `${text} =` : text;
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
    for (const entry of entriesOf(syntax, child)) texts.push(entry);
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
    if (type.endsWith("_list")) for (const entry of entriesOf(syntax, child)) entries.push(entry);
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
        .split(/\W+/)
        .some((word) => words.includes(word))
    )
      return true;
  }
  return false;
}

/** A type alias or anything else that is one text: an entry with that text as its only property. */
export function alias(fields: { name?: string; value?: string; exported?: Visibility } = {}): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = syntax.child(node, fields.name ?? "name");
    const value = syntax.child(node, fields.value ?? "type");
    if (name === undefined) return;
    addAlias(walk, node, scope, { name, value, exported: fields.exported?.(walk, node, scope, syntax.render(name)) });
  };
}

/** The same where a grammar names neither part. */
export function addAlias(
  walk: Walk,
  node: number,
  scope: Scope,
  { name, value, exported }: { name: number; value: number | undefined; exported: boolean | undefined },
): void {
  const inner = walk.addClass(node, scope, {
    name: walk.syntax.render(name),
    kind: "type",
    cut: [name],
    body: value,
    exported,
  });
  if (value !== undefined) walk.addProperty(value, inner);
}
