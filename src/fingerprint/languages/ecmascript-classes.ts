import { paramsOf, partsOf } from "../helpers.js";
import type { Handler } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { Scope, Walk } from "../walk.js";

const FUNCTIONS = new Set(["arrow_function", "function_expression", "generator_function", "function"]);

export function isFunction(syntax: Syntax, node: number | undefined): node is number {
  return node !== undefined && FUNCTIONS.has(syntax.typeOf(node));
}

/** A value with the name of what holds it. */
export interface NamedValue {
  /** The node that gives the name: a declaration, a pair. */
  holder: number;
  value: number;
  name: string;
  /** Text that belongs to its signature but stands beside it. */
  type?: string;
}

/** A function value that gets its name from where it is put: `const f = () => …`, `{ f: function () {…} }`. */
export function addFunctionValue(walk: Walk, scope: Scope, { holder, value, name, type = "" }: NamedValue): void {
  const { syntax } = walk;
  const params = syntax.child(value, "parameters") ?? syntax.child(value, "parameter");
  const returns = syntax.child(value, "return_type");
  walk.addFunction(holder, scope, {
    name,
    params: paramsOf(syntax, params),
    returns,
    cut: [syntax.child(value, "name"), params, returns],
    body: syntax.child(value, "body"),
    signatureOf: value,
    also: type,
  });
}

/** Everything but `private`, `protected` and `#names` is for the class's users. */
export function isMemberPublic(walk: Walk, node: number, scope: Scope, name: string): boolean {
  const access = walk.syntax.childOfType(node, "accessibility_modifier");
  const isPublic = access === undefined || walk.syntax.render(access) === "public";
  return scope.exported && isPublic && !name.startsWith("#");
}

export const method: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const params = syntax.child(node, "parameters");
  const returns = syntax.child(node, "return_type");
  const text = syntax.render(name);
  walk.addFunction(node, scope, {
    name: text,
    params: paramsOf(syntax, params),
    returns,
    cut: [name, params, returns],
    body: syntax.child(node, "body"),
    exported: isMemberPublic(walk, node, scope, text),
  });
};

/** A class field; one that holds a function is a method in all but name. */
export const field: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name") ?? syntax.child(node, "property");
  const value = syntax.child(node, "value");
  if (name === undefined || !isFunction(syntax, value)) {
    walk.addProperty(node, scope);
    return;
  }
  const text = syntax.render(name);
  const before = syntax.render(node, new Set([name, value]), new Set(["="]));
  const exported = isMemberPublic(walk, node, scope, text);
  addFunctionValue(walk, { ...scope, exported }, { holder: node, value, name: text, type: before });
};

export const ecmaClass: Handler = (walk, node, scope) => {
  const own = walk.syntax.child(node, "name");
  const name = own === undefined ? (scope.exportAs ?? "") : walk.syntax.render(own);
  addClassValue(walk, scope, { holder: node, value: node, name });
};

/** A class declaration, or a class value under the name of what holds it. */
export function addClassValue(walk: Walk, scope: Scope, { holder, value: node, name }: NamedValue): void {
  const { syntax } = walk;
  if (name === "" || walk.tooDeep(scope)) return;
  const heritage = syntax.childOfType(node, "class_heritage");
  const body = syntax.child(node, "body");
  const above = heritage === undefined ? { nodes: [], texts: [] } : partsOf(syntax, heritage, ["extends_clause"]);
  const promised = heritage === undefined ? { nodes: [], texts: [] } : partsOf(syntax, heritage, ["implements_clause"]);
  if (heritage !== undefined && above.nodes.length + promised.nodes.length === 0) {
    above.texts.push(syntax.render(heritage).replace(/^extends /, ""));
  }
  const inner = walk.addClass(holder, scope, {
    name,
    kind: "class",
    extends: above.texts,
    implements: promised.texts,
    cut: [syntax.child(node, "name"), heritage],
    body,
    ...(holder === node ? {} : { signatureOf: node }),
  });
  if (body !== undefined) walk.inside(body, inner);
}

/** `type A = { x: number }` has members like an interface; any other alias is one text. */
export const typeAlias: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const value = syntax.child(node, "value");
  if (name === undefined) return;
  const inner = walk.addClass(node, scope, { name: syntax.render(name), kind: "type", cut: [name], body: value });
  if (value === undefined) return;
  if (syntax.typeOf(value) === "object_type") walk.inside(value, inner);
  else walk.addProperty(value, inner);
};

export const enumBody: Handler = (walk, node, scope) => {
  for (const member of walk.syntax.namedChildren(node)) walk.addProperty(member, scope);
};

/** `declare …`; also `declare global { … }`, which adds to what every file sees. */
export const ambient: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const block = syntax.childOfType(node, "statement_block");
  if (block === undefined) {
    walk.inside(node, { ...scope, outer: scope.outer ?? node });
    return;
  }
  walk.inside(
    block,
    walk.addClass(node, scope, { name: "global", kind: "module", cut: [], body: block, exported: true }),
  );
};

/** Inside a namespace only what says `export` is visible; an ambient one shows everything. */
export const namespace: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const body = syntax.child(node, "body");
  if (name === undefined || walk.tooDeep(scope)) return;
  const inner = walk.addClass(node, scope, { name: syntax.render(name), kind: "module", cut: [name], body });
  const isAmbient = scope.outer !== undefined && syntax.typeOf(scope.outer) === "ambient_declaration";
  if (body !== undefined) walk.inside(body, { ...inner, exported: isAmbient });
};
