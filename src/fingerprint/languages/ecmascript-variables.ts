import type { Handler } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { Scope, Walk } from "../walk.js";
import { addClassValue, addFunctionValue, isFunction, type NamedValue } from "./ecmascript-classes.js";

/** Calls that give back the component they are given. */
const WRAPPERS = new Set(["memo", "forwardRef", "observer"]);

/** `const`, `let` and `var` at the top of a file. */
export const variables: Handler = (walk, node, scope) => {
  const declarators = walk.syntax
    .namedChildren(node)
    .filter((child) => walk.syntax.typeOf(child) === "variable_declarator");
  for (const declarator of declarators) {
    const outer = declarators.length === 1 ? (scope.outer ?? node) : declarator;
    variable(walk, declarator, { ...scope, outer });
  }
};

function variable(walk: Walk, node: number, scope: Scope): void {
  const { syntax } = walk;
  const pattern = syntax.child(node, "name");
  if (pattern === undefined) return;
  const names = boundBy(syntax, pattern);
  const type = syntax.child(node, "type");
  const asserted = assertedType(syntax, syntax.child(node, "value"));
  const typeText = type === undefined ? asserted : syntax.render(type).replace(/^:\s*/, "");
  const name = syntax.typeOf(pattern) === "identifier" ? names[0] : undefined;
  const value = unwrapped(syntax, syntax.child(node, "value"));
  const isAdded =
    name !== undefined && value !== undefined && addValue(walk, scope, { holder: node, value, name, type: typeText });
  if (isAdded) return;
  const shape = type === undefined ? shapeOf(syntax, value) : "";
  const text = name === undefined ? "" : `${shape} ${typeText}`.trim();
  for (const one of names) {
    walk.locals.set(scope.prefix + one, text);
    if (!scope.exported) continue;
    walk.addExport(scope, one);
    walk.values.set(scope.prefix + one, text);
  }
}

/** True if the value is a function or a class, and so has an entry of its own. */
export function addValue(walk: Walk, scope: Scope, named: NamedValue): boolean {
  const { syntax } = walk;
  const { value, name, type = "" } = named;
  const inner = wrappedFunction(syntax, value);
  if (isFunction(syntax, value)) addFunctionValue(walk, scope, named);
  else if (syntax.typeOf(value) === "class") addClassValue(walk, scope, named);
  else if (inner !== undefined)
    addFunctionValue(walk, scope, { ...named, value: inner.value, type: `${inner.wrapper} ${type}`.trim() });
  else {
    if (syntax.typeOf(value) === "object") objectMembers(walk, value, memberScope(scope, name));
    return false;
  }
  return true;
}

function memberScope(scope: Scope, name: string): Scope {
  return { prefix: `${scope.prefix}${name}.`, exported: scope.exported, depth: scope.depth + 1 };
}

/** Functions inside an object literal are members of what holds it: `api.list`, `default.methods.save`. */
export function objectMembers(walk: Walk, object: number, scope: Scope): void {
  const { syntax } = walk;
  if (walk.tooDeep(scope)) return;
  for (const child of syntax.namedChildren(object)) {
    const type = syntax.typeOf(child);
    if (type === "method_definition") walk.visit(child, scope);
    if (type !== "pair") continue;
    const key = syntax.child(child, "key");
    const value = unwrapped(syntax, syntax.child(child, "value"));
    if (key !== undefined && value !== undefined)
      addValue(walk, scope, { holder: child, value, name: syntax.render(key) });
  }
}

/** The keys of an object literal are what its users see; any other value has no shape that we could name. */
export function shapeOf(syntax: Syntax, value: number | undefined): string {
  if (value === undefined || syntax.typeOf(value) !== "object") return "";
  return `{${objectKeys(syntax, value).sort().join(", ")}}`;
}

export function objectKeys(syntax: Syntax, object: number): string[] {
  return syntax.namedChildren(object).map((child) => {
    const key = syntax.child(child, "key") ?? syntax.child(child, "name");
    return syntax.render(key ?? child);
  });
}

/** `x as T`, `x satisfies T`, `y = x` and brackets around it are still x. */
export function unwrapped(syntax: Syntax, value: number | undefined): number | undefined {
  let at = value;
  while (at !== undefined && /^(as|satisfies|parenthesized|non_null|assignment)_expression$/.test(syntax.typeOf(at))) {
    at = syntax.child(at, "right") ?? syntax.namedChildren(at)[0];
  }
  return at;
}

/** `as const` and `as T` give a value its type, as an annotation would. */
function assertedType(syntax: Syntax, value: number | undefined): string {
  if (value === undefined || syntax.typeOf(value) !== "as_expression") return "";
  return syntax.render(value, new Set(syntax.namedChildren(value).slice(0, 1)));
}

/** `memo(forwardRef((props, ref) => …))` has the inner function's parameters. */
function wrappedFunction(syntax: Syntax, value: number): { value: number; wrapper: string } | undefined {
  let at: number | undefined = value;
  const wrappers: string[] = [];
  while (at !== undefined && syntax.typeOf(at) === "call_expression") {
    const args = syntax.child(at, "arguments");
    const called = syntax.child(at, "function");
    const last = called === undefined ? "" : (syntax.render(called).split(".").at(-1) ?? "");
    if (args === undefined || !WRAPPERS.has(last)) return undefined;
    wrappers.push(syntax.render(at, new Set([args])));
    at = syntax.namedChildren(args)[0];
  }
  return isFunction(syntax, at) ? { value: at, wrapper: wrappers.join(" ") } : undefined;
}

/** The names that a pattern binds: `{ a, b: c, ...d }` binds a, c and d. */
function boundBy(syntax: Syntax, pattern: number): string[] {
  const names: string[] = [];
  const end = syntax.nextOf(pattern);
  for (let at = pattern; at < end; ) {
    const type = syntax.typeOf(at);
    const isName = type === "identifier" || type === "shorthand_property_identifier_pattern";
    if (isName) names.push(syntax.render(at));
    // Defaults and computed keys hold names that are read, not bound.
    const reads = at !== pattern && (syntax.fieldOf(at) === "right" || syntax.fieldOf(at) === "key");
    at = reads || isName ? syntax.nextOf(at) : at + 1;
  }
  return names;
}
