import { opaque, paramsOf } from "../helpers.js";
import type { Handler, Import, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { Scope, Walk } from "../walk.js";

/** What says `local` is for this file only, unless the file gives it back at its end. */
const isLocal = (syntax: Syntax, node: number) => syntax.childOfType(node, "local") !== undefined;

/** `function M:f(a)` is M.f with a receiver. */
function addFunction(walk: Walk, holder: number, value: number, scope: Scope, target: string, exported: boolean): void {
  const { syntax } = walk;
  const params = syntax.child(value, "parameters");
  walk.addFunction(holder, scope, {
    name: target.replace(/:\s*/, "."),
    params: paramsOf(syntax, params),
    cut: [syntax.child(value, "name"), params, syntax.child(value, "body")],
    signatureOf: value,
    also: target.includes(":") ? ":" : "",
    exported,
  });
}

const functionDeclaration: Handler = (walk, node, scope) => {
  const name = walk.syntax.child(node, "name");
  if (name !== undefined) addFunction(walk, node, node, scope, walk.syntax.render(name), !isLocal(walk.syntax, node));
};

const local: Handler = (walk, node, scope) => walk.inside(node, { ...scope, mode: "local" });

const assignment: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const [left, right] = syntax.namedChildren(node);
  if (left === undefined || right === undefined) return;
  const values = syntax.namedChildren(right);
  syntax.namedChildren(left).forEach((name, at) => {
    addValue(walk, node, values[at], { ...scope, exported: scope.mode !== "local" }, syntax.render(name));
  });
};

/** Functions in a table are members of what holds it. */
function addValue(walk: Walk, holder: number, value: number | undefined, scope: Scope, name: string): void {
  const { syntax } = walk;
  const type = value === undefined ? "" : syntax.typeOf(value);
  if (value !== undefined && type === "function_definition")
    addFunction(walk, holder, value, scope, name, scope.exported);
  else if (scope.exported) walk.addExport(scope, name);
  if (value === undefined || type !== "table_constructor" || walk.tooDeep(scope)) return;
  const inner: Scope = { prefix: `${scope.prefix}${name}.`, exported: scope.exported, depth: scope.depth + 1 };
  for (const field of syntax.namedChildren(value)) {
    const key = syntax.child(field, "name");
    if (key !== undefined) addValue(walk, field, syntax.child(field, "value"), inner, syntax.render(key));
  }
}

/** `return M` makes M's members what the file is required for; `return { a = f }` names them. */
const returned: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const list = syntax.namedChildren(node)[0];
  const value = list === undefined ? undefined : syntax.namedChildren(list)[0];
  if (value === undefined) return;
  if (syntax.typeOf(value) === "identifier") {
    walk.exportedLocals.add(syntax.render(value));
    walk.exports.add(`return ${syntax.render(value)}`);
  } else if (syntax.typeOf(value) === "table_constructor") {
    for (const field of syntax.namedChildren(value)) {
      const key = syntax.child(field, "name");
      const inner = syntax.child(field, "value");
      if (key === undefined) continue;
      walk.exports.add(syntax.render(key));
      if (inner !== undefined && syntax.typeOf(inner) === "identifier") walk.exportedLocals.add(syntax.render(inner));
      else addValue(walk, field, inner, { ...scope, exported: true }, syntax.render(key));
    }
  } else if (syntax.typeOf(value) === "function_definition") addFunction(walk, node, value, scope, "return", true);
};

function requireCall(syntax: Syntax, node: number): Import | undefined {
  const name = syntax.child(node, "name");
  const args = syntax.child(node, "arguments");
  if (name === undefined || args === undefined || !/^(require|dofile|loadfile)$/.test(syntax.render(name)))
    return undefined;
  const literal = syntax.childOfType(args, "string");
  return literal === undefined ? undefined : { source: syntax.render(literal).slice(1, -1), specifiers: [] };
}

/** Without escapes and quotes inside, both kinds of quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

export const rules: LanguageRules = {
  tokens: {
    comments: ["comment"],
    atoms: { string: quoted },
    leaves: ["identifier", "number"],
    optional: [";"],
    optionalIn: { arguments: ["(", ")"] },
    trailingCommaIn: ["table_constructor"],
  },
  declarations: {
    function_declaration: functionDeclaration,
    variable_declaration: local,
    assignment_statement: assignment,
    return_statement: returned,
    function_definition: opaque,
    do_statement: opaque,
  },
  imports: { function_call: requireCall },
  calls: {
    at: { function_call: ["arguments"] },
    binds: { parameters: ["identifier"], variable_list: ["identifier"] },
  },
  noise: ["function", "local", "end"],
};
