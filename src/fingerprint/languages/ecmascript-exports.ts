import type { Handler } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { Scope, Walk } from "../walk.js";
import { addClassValue, addFunctionValue, isFunction, type NamedValue } from "./ecmascript-classes.js";
import { literal } from "./ecmascript-imports.js";
import { addValue, objectKeys, objectMembers, shapeOf, unwrapped, variables } from "./ecmascript-variables.js";

export const exportStatement: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const exported = scope.prefix === "" || (scope.owner?.exported ?? true);
  const isDefault = syntax.childOfType(node, "default") !== undefined;
  const inner: Scope = { ...scope, outer: node, exported, ...(isDefault ? { exportAs: "default" } : {}) };
  const declaration = syntax.child(node, "declaration");
  const value = syntax.child(node, "value");
  if (isDefault) walk.addExport(inner, "default");
  if (declaration !== undefined) walk.visit(declaration, inner);
  else if (value !== undefined) defaultValue(walk, node, unwrapped(syntax, value) ?? value, inner);
  else if (syntax.childOfType(node, "=") !== undefined) exportEquals(walk, node, inner);
  else exportList(walk, node, scope);
};

/** `export default …` of something that has no name of its own, or of something declared elsewhere. */
function defaultValue(walk: Walk, node: number, value: number, scope: Scope): void {
  const { syntax } = walk;
  if (syntax.typeOf(value) === "identifier") {
    walk.exportedLocals.add(syntax.render(value));
    walk.values.set("default", syntax.render(value));
    return;
  }
  const own = syntax.child(value, "name");
  const name = own === undefined ? "default" : syntax.render(own);
  if (isFunction(syntax, value)) addFunctionValue(walk, scope, { holder: node, value, name });
  else if (syntax.typeOf(value) === "class") addClassValue(walk, scope, { holder: node, value, name });
  else if (!addValue(walk, scope, { holder: node, value, name: "default" }))
    walk.values.set("default", shapeOf(syntax, value));
}

function exportEquals(walk: Walk, node: number, scope: Scope): void {
  const { syntax } = walk;
  walk.addExport(scope, "export=");
  const name = syntax.childOfType(node, "identifier");
  if (name !== undefined) walk.exportedLocals.add(syntax.render(name));
}

/** `export { a as b }`, `export * from "x"`, `export * as ns from "x"`, `export as namespace Lib`. */
function exportList(walk: Walk, node: number, scope: Scope): void {
  const { syntax } = walk;
  const source = literal(syntax, syntax.child(node, "source"));
  const clause = syntax.childOfType(node, "export_clause");
  const namespace = syntax.childOfType(node, "namespace_export");
  if (clause === undefined) {
    const name = namespace === undefined ? undefined : syntax.namedChildren(namespace)[0];
    if (name !== undefined) walk.addExport(scope, syntax.render(name));
    else walk.addExport(scope, source === undefined ? syntax.render(node) : `* from ${source}`);
    return;
  }
  for (const specifier of syntax.namedChildren(clause)) {
    const name = syntax.child(specifier, "name");
    if (name === undefined) continue;
    if (source === undefined) walk.exportedLocals.add(scope.prefix + syntax.render(name));
    walk.addExport(scope, syntax.render(syntax.child(specifier, "alias") ?? name));
  }
}

/** A statement at the top of a file: perhaps a CommonJS export, or a method put on a prototype. */
export const commonJs: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const assignment = syntax.namedChildren(node)[0];
  if (assignment === undefined || syntax.typeOf(assignment) !== "assignment_expression") {
    walk.inside(node, { ...scope, outer: node });
    return;
  }
  const value = unwrapped(syntax, assignment);
  const outer = { ...scope, outer: node };
  if (value === undefined) return;
  for (const target of targetsOf(syntax, assignment)) {
    if (target === "module.exports") wholeExport(walk, node, value, outer);
    else if (EXPORT.test(target)) oneExport(walk, outer, { holder: node, value, name: target.replace(EXPORT, "") });
    else addValue(walk, outer, { holder: node, value, name: target });
  }
};

const EXPORT = /^(module\.)?exports\./;

/** `a.b = module.exports = f` gives f to both. A plain name on the left is a variable, and no business of others. */
function targetsOf(syntax: Syntax, value: number | undefined): string[] {
  const targets: string[] = [];
  for (let at = value; at !== undefined && syntax.typeOf(at) === "assignment_expression"; ) {
    const left = syntax.child(at, "left");
    if (left !== undefined && syntax.typeOf(left) === "member_expression") targets.push(syntax.render(left));
    at = syntax.child(at, "right");
  }
  return targets;
}

/** `var app = module.exports = {…}` declares a variable, and exports it. */
export const variablesAndExports: Handler = (walk, node, scope) => {
  variables(walk, node, scope);
  const { syntax } = walk;
  for (const declarator of syntax.namedChildren(node)) {
    const name = syntax.child(declarator, "name");
    const value = syntax.child(declarator, "value");
    for (const target of targetsOf(syntax, value)) {
      if (target !== "module.exports" && !EXPORT.test(target)) continue;
      walk.exports.add(target.replace(EXPORT, ""));
      if (name !== undefined) walk.exportedLocals.add(syntax.render(name));
      const object = target === "module.exports" ? unwrapped(syntax, value) : undefined;
      if (object === undefined || syntax.typeOf(object) !== "object") continue;
      for (const key of objectKeys(syntax, object)) walk.exports.add(key);
    }
  }
};

function wholeExport(walk: Walk, node: number, value: number, scope: Scope): void {
  const { syntax } = walk;
  const inner: Scope = { ...scope, exported: true, exportAs: "module.exports" };
  if (syntax.typeOf(value) === "object") {
    for (const key of objectKeys(syntax, value)) walk.exports.add(key);
    for (const child of syntax.namedChildren(value))
      walk.exportedLocals.add(syntax.render(syntax.child(child, "value") ?? child));
    objectMembers(walk, value, { prefix: "", exported: true, depth: scope.depth + 1 });
    return;
  }
  walk.addExport(inner, "module.exports");
  if (syntax.typeOf(value) === "identifier") walk.exportedLocals.add(syntax.render(value));
  else addValue(walk, inner, { holder: node, value, name: "module.exports" });
}

function oneExport(walk: Walk, scope: Scope, named: NamedValue): void {
  const { syntax } = walk;
  const { value, name } = named;
  const inner: Scope = { ...scope, exported: true };
  if (syntax.typeOf(value) === "identifier") walk.exportedLocals.add(syntax.render(value));
  if (!addValue(walk, inner, named)) walk.values.set(name, shapeOf(syntax, value));
  walk.addExport(inner, name);
}
