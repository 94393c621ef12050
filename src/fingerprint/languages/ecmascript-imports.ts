import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";

/** The text of a string node without its quotes. */
export function literal(syntax: Syntax, node: number | undefined): string | undefined {
  if (node === undefined || syntax.typeOf(node) !== "string") return undefined;
  return syntax.render(node).slice(1, -1);
}

/** `import a, { b as c } from "x"`, `import * as ns from "x"`, `import "x"`, `import x = require("x")`. */
export function importStatement(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const required = syntax.childOfType(node, "import_require_clause");
  if (required !== undefined) {
    const source = literal(syntax, syntax.child(required, "source"));
    const name = syntax.childOfType(required, "identifier");
    return source === undefined
      ? undefined
      : { source, specifiers: name === undefined ? [] : [`* as ${syntax.render(name)}`] };
  }
  const source = literal(syntax, syntax.child(node, "source"));
  if (source === undefined) return undefined;
  const clause = syntax.childOfType(node, "import_clause");
  if (clause === undefined) return { source, specifiers: [] };
  const specifiers: string[] = [];
  for (const child of syntax.namedChildren(clause)) {
    const type = syntax.typeOf(child);
    if (type === "identifier") specifiers.push(`default as ${syntax.render(child)}`);
    else if (type === "namespace_import") specifiers.push(syntax.render(child).replace(/^\*\s*/, "* "));
    else for (const one of syntax.namedChildren(child)) specifiers.push(aliased(syntax, one));
  }
  return { source, specifiers };
}

/** `export { a as b } from "x"` and `export * from "x"` also need what they name. */
export function exportFrom(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const source = literal(syntax, syntax.child(node, "source"));
  if (source === undefined) return undefined;
  const clause = syntax.childOfType(node, "export_clause");
  if (clause === undefined) return { source, specifiers: ["*"] };
  return { source, specifiers: syntax.namedChildren(clause).map((one) => aliased(syntax, one)) };
}

/** `import("x")` and `require("x")`, wherever they stand. */
export function callImport(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const called = syntax.child(node, "function");
  if (called === undefined) return undefined;
  const isImport = syntax.typeOf(called) === "import";
  if (!isImport && (syntax.typeOf(called) !== "identifier" || syntax.render(called) !== "require")) return undefined;
  const args = syntax.child(node, "arguments");
  const source = args === undefined ? undefined : literal(syntax, syntax.namedChildren(args)[0]);
  return source === undefined ? undefined : { source, specifiers: boundNames(syntax, node) };
}

/** The names that `const { a, b: c } = require("x")` binds. */
function boundNames(syntax: Syntax, call: number): string[] {
  let holder = syntax.parentOf(call);
  if (syntax.typeOf(holder) === "await_expression") holder = syntax.parentOf(holder);
  if (syntax.typeOf(holder) !== "variable_declarator") return [];
  const pattern = syntax.child(holder, "name");
  if (pattern === undefined) return [];
  if (syntax.typeOf(pattern) === "identifier") return [`* as ${syntax.render(pattern)}`];
  return syntax.namedChildren(pattern).map((part) => {
    const key = syntax.child(part, "key");
    const value = syntax.child(part, "value");
    return key === undefined || value === undefined
      ? syntax.render(part)
      : `${syntax.render(key)} as ${syntax.render(value)}`;
  });
}

/** Type-only imports name the same thing as others do. */
export function aliased(syntax: Syntax, specifier: number): string {
  const name = syntax.child(specifier, "name");
  const alias = syntax.child(specifier, "alias");
  if (name === undefined) return syntax.render(specifier);
  return alias === undefined ? syntax.render(name) : `${syntax.render(name)} as ${syntax.render(alias)}`;
}
