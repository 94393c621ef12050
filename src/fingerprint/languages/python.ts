import { fn, opaque, paramsOf } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";
import { plain } from "./python-plain.js";

/** By convention a leading underscore is private; names with two on both sides are the language's own. */
const isPublic = (name: string) => !name.startsWith("_") || /^__\w+__$/.test(name);

const visible = (_walk: Walk, _node: number, scope: Scope, name: string) =>
  (scope.prefix === "" || scope.exported) && isPublic(name);

const plainFunction = fn({ exported: visible });

/** A method; `__init__` also makes the attributes that users of the class see. */
const functionDefinition: Handler = (walk, node, scope) => {
  plainFunction(walk, node, scope);
  const name = walk.syntax.child(node, "name");
  if (scope.owner === undefined || name === undefined || walk.syntax.render(name) !== "__init__") return;
  const body = walk.syntax.child(node, "body");
  if (body !== undefined) selfAttributes(walk, body, scope.owner.properties);
};

function selfAttributes(walk: Walk, body: number, into: string[]): void {
  const { syntax } = walk;
  const end = syntax.nextOf(body);
  for (let at = body; at < end; at++) {
    if (syntax.typeOf(at) !== "assignment") continue;
    const left = syntax.child(at, "left");
    const target = left === undefined ? "" : syntax.render(left);
    if (!/^self\.[^_.[\]]\w*$/u.test(target)) continue;
    const type = syntax.child(at, "type");
    const text = type === undefined ? target : `${target}: ${syntax.render(type)}`;
    if (!into.includes(text)) into.push(text);
  }
}

const classDefinition: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined || walk.tooDeep(scope)) return;
  const bases = syntax.child(node, "superclasses");
  const body = syntax.child(node, "body");
  const text = syntax.render(name);
  const inner = walk.addClass(node, scope, {
    name: text,
    kind: "class",
    extends: paramsOf(syntax, bases),
    cut: [name, bases],
    body,
    exported: visible(walk, node, scope, text),
  });
  if (body !== undefined) walk.inside(body, inner);
};

const decorated: Handler = (walk, node, scope) => {
  const definition = walk.syntax.child(node, "definition");
  if (definition !== undefined) walk.visit(definition, { ...scope, outer: node });
};

/** `X: int = 3` is an attribute of a class, or a name of the module; `__all__ = [...]` is the module's export list. */
const assignment: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const left = syntax.child(node, "left");
  if (left === undefined) return;
  const type = syntax.child(node, "type");
  const typeText = type === undefined ? "" : syntax.render(type);
  for (const name of targets(syntax, left)) {
    if (scope.owner !== undefined) scope.owner.properties.push(typeText === "" ? name : `${name}: ${typeText}`);
    else if (isPublic(name) && name !== "__all__") {
      walk.addExport(scope, name);
      walk.values.set(name, typeText);
    }
  }
};

function targets(syntax: Syntax, left: number): string[] {
  if (syntax.typeOf(left) === "identifier") return [syntax.render(left)];
  if (!/^(pattern_list|tuple_pattern|list_pattern)$/.test(syntax.typeOf(left))) return [];
  return syntax.namedChildren(left).flatMap((child) => targets(syntax, child));
}

const typeAlias: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const [name, value] = syntax.namedChildren(node);
  if (name === undefined || value === undefined) return;
  const text = syntax.render(name);
  const inner = walk.addClass(node, scope, {
    name: text,
    kind: "type",
    cut: [name],
    body: value,
    exported: visible(walk, node, scope, text),
  });
  walk.addProperty(value, inner);
};

/** `import a.b as c, d` */
function importStatement(syntax: Syntax, node: number): ImportFingerprint[] {
  return syntax.childrenOf(node, "name").map((one) => {
    const alias = syntax.child(one, "alias");
    const name = syntax.child(one, "name");
    if (alias === undefined || name === undefined) return { source: syntax.render(one), specifiers: [] };
    return { source: syntax.render(name), specifiers: [`* as ${syntax.render(alias)}`] };
  });
}

/** `from .a import b as c`, `from x import *` */
function importFrom(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const module = syntax.child(node, "module_name");
  const source = module === undefined ? "__future__" : syntax.render(module);
  if (syntax.childOfType(node, "wildcard_import") !== undefined) return { source, specifiers: ["*"] };
  const specifiers = syntax.childrenOf(node, "name").map((one) => syntax.render(one));
  return { source, specifiers };
}

/** `__all__` says what is public, whatever the names look like. */
const finish: Handler = (walk) => {
  const { syntax } = walk;
  const listed = new Set<string>();
  let found = false;
  for (const statement of syntax.namedChildren(0)) {
    const inner = syntax.namedChildren(statement)[0];
    if (inner === undefined || !/^(augmented_)?assignment$/.test(syntax.typeOf(inner))) continue;
    const left = syntax.child(inner, "left");
    if (left === undefined || syntax.render(left) !== "__all__") continue;
    found = true;
    for (let at = inner; at < syntax.nextOf(inner); at++) {
      if (syntax.typeOf(at) === "string") listed.add(syntax.render(at).slice(1, -1));
    }
  }
  if (!found) return;
  walk.exports.clear();
  for (const name of listed) walk.exports.add(name);
  for (const name of [...walk.values.keys()]) if (!listed.has(name)) walk.values.delete(name);
  for (const entry of [...walk.functions, ...walk.classes]) {
    const [root = "", ...members] = entry.name.split(".");
    entry.exported = listed.has(root) && members.every(isPublic);
  }
};

/** Quotes mean nothing where the text holds none and no escapes; prefixes do, but their case does not. */
function quoted(text: string): string {
  const parts = /^([a-z]*)('''|"""|'|")([\s\S]*)\2$/i.exec(text);
  const [, prefix = "", , inner = ""] = parts ?? [];
  if (parts === null || /['"\\\n]/.test(inner)) return text;
  return `${prefix.toLowerCase().replace("u", "")}"${inner}"`;
}

/** A plain string on its own at the start of a module, class or function. */
function isDocstring(syntax: Syntax, statement: number): boolean {
  const block = syntax.parentOf(statement);
  const [string, ...others] = syntax.children(statement);
  if (statement !== block + 1 || string === undefined || others.length > 0) return false;
  if (syntax.typeOf(string) !== "string") return false;
  const start = syntax.pieces.startOf(syntax.pieceStart[string] ?? 0);
  if (!/^[ru]?["']/i.test(syntax.source.slice(start, start + 2))) return false; // bytes and f-strings document nothing
  return block === 0 || /^(function|class)_definition$/.test(syntax.typeOf(syntax.parentOf(block)));
}

export const rules: LanguageRules = {
  tokens: {
    frames: ["module", "block"],
    comments: ["comment", "line_continuation"],
    atoms: { string: quoted },
    leaves: ["false", "float", "identifier", "integer", "none", "true"],
    optional: [";"],
    optionalIn: { import_from_statement: ["(", ")", ","], future_import_statement: ["(", ")", ","] },
    // Not below comparisons and calls: `(a < b) < c` is not `a < b < c`.
    transparent: {
      parenthesized_expression: [
        "argument_list",
        "assert_statement",
        "assignment",
        "elif_clause",
        "if_statement",
        "keyword_argument",
        "list",
        "pair",
        "return_statement",
        "while_statement",
      ],
    },
    trailingCommaIn: [
      "argument_list",
      "parameters",
      "lambda_parameters",
      "list",
      "dictionary",
      "set",
      "type_parameter",
    ],
    documentation: {
      statement: "expression_statement",
      isDocumentation: isDocstring,
      empty: ["pass_statement", "pass"],
    },
  },
  plain,
  declarations: {
    function_definition: functionDefinition,
    class_definition: classDefinition,
    decorated_definition: decorated,
    assignment,
    type_alias_statement: typeAlias,
    lambda: opaque,
  },
  importStatements: ["import_statement", "import_from_statement", "future_import_statement"],
  behaviour: {
    branches: [
      "if_statement",
      "elif_clause",
      "else_clause",
      "for_statement",
      "while_statement",
      "match_statement",
      "case_clause",
      "try_statement",
      "except_clause",
      "finally_clause",
      "conditional_expression",
      "for_in_clause",
      "if_clause",
    ],
    throws: ["raise_statement", "except_clause"],
    throwingCalls: ["sys.exit", "exit", "os.abort", "os._exit", "suppress"],
  },
  imports: {
    import_statement: importStatement,
    import_from_statement: importFrom,
    future_import_statement: importFrom,
  },
  calls: {
    at: { call: ["arguments"] },
    binds: {
      parameters: ["identifier"],
      lambda_parameters: ["identifier"],
      default_parameter: ["name"],
      typed_parameter: ["identifier"],
      typed_default_parameter: ["name"],
      assignment: ["left"],
      for_statement: ["left"],
      function_definition: ["name"],
    },
  },
  elided: { default_parameter: ["value"], typed_default_parameter: ["value"] },
  noise: ["def", "class", ":", "->", "type", "="],
  orderedOverloads: true,
  finish,
};
