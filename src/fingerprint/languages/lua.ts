import { opaque, paramsOf } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** What says `local` is for this file only, unless the file gives it back at its end. */
const isLocal = (syntax: Syntax, node: number) => syntax.childOfType(node, "local") !== undefined;

/** A value with the name of what holds it. */
interface TableValue {
  /** The node that gives the name: a declaration, a field. */
  holder: number;
  value: number | undefined;
  /** Also with its receiver: `M:f`. */
  name: string;
}

/** `function M:f(a)` is M.f with a receiver. */
function addFunction(walk: Walk, scope: Scope, { holder, value, name }: TableValue & { value: number }): void {
  const { syntax } = walk;
  const params = syntax.child(value, "parameters");
  walk.addFunction(holder, scope, {
    name: name.replace(/:\s*/, "."),
    params: paramsOf(syntax, params),
    cut: [syntax.child(value, "name"), params],
    body: syntax.child(value, "body"),
    signatureOf: value,
    also: name.includes(":") ? ":" : "",
  });
}

const functionDeclaration: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const exported = !isLocal(syntax, node);
  addFunction(walk, { ...scope, exported }, { holder: node, value: node, name: syntax.render(name) });
};

const local: Handler = (walk, node, scope) => walk.inside(node, { ...scope, mode: "local" });

const assignment: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const [left, right] = syntax.namedChildren(node);
  if (left === undefined || right === undefined) return;
  const values = syntax.namedChildren(right);
  const inner = { ...scope, exported: scope.mode !== "local" };
  syntax.namedChildren(left).forEach((name, at) => {
    addValue(walk, inner, { holder: node, value: values[at], name: syntax.render(name) });
  });
};

/** Functions in a table are members of what holds it. */
function addValue(walk: Walk, scope: Scope, { holder, value, name }: TableValue): void {
  const { syntax } = walk;
  const type = value === undefined ? "" : syntax.typeOf(value);
  if (value !== undefined && type === "function_definition") addFunction(walk, scope, { holder, value, name });
  else if (scope.exported) walk.addExport(scope, name);
  if (value === undefined || type !== "table_constructor" || walk.tooDeep(scope)) return;
  const inner: Scope = { prefix: `${scope.prefix}${name}.`, exported: scope.exported, depth: scope.depth + 1 };
  for (const field of syntax.namedChildren(value)) {
    const key = syntax.child(field, "name");
    if (key === undefined) continue;
    addValue(walk, inner, { holder: field, value: syntax.child(field, "value"), name: syntax.render(key) });
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
      else addValue(walk, { ...scope, exported: true }, { holder: field, value: inner, name: syntax.render(key) });
    }
  } else if (syntax.typeOf(value) === "function_definition")
    addFunction(walk, { ...scope, exported: true }, { holder: node, value, name: "return" });
};

function requireCall(syntax: Syntax, node: number): ImportFingerprint | undefined {
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
    frames: ["chunk", "block", "arguments"],
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
  behaviour: {
    branches: [
      "if_statement",
      "elseif_statement",
      "else_statement",
      "while_statement",
      "repeat_statement",
      "for_statement",
      "goto_statement",
    ],
    throwingCalls: ["error", "assert", "os.exit", "pcall", "xpcall"],
  },
  imports: { function_call: requireCall },
  calls: {
    at: { function_call: ["arguments"] },
    binds: { parameters: ["identifier"], variable_list: ["identifier"] },
  },
  noise: ["function", "local", "end"],
};
