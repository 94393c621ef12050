import { addAlias, fn, hasModifier, opaque, paramsOf, pick } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ClassKind, ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** Public is the default. */
const visible = (walk: Walk, node: number, scope: Scope) =>
  (scope.owner === undefined || scope.exported) && !hasModifier(walk.syntax, node, "private", "protected", "internal");

function kindOf(syntax: Syntax, node: number): ClassKind {
  if (syntax.childOfType(node, "interface") !== undefined) return "interface";
  return hasModifier(syntax, node, "enum") ? "enum" : "class";
}

/** A base class is named with the arguments of its constructor, which is not visible from outside. */
function basesOf(syntax: Syntax, bases: number | undefined): string[] {
  if (bases === undefined) return [];
  return syntax.namedChildren(bases).map((base) => {
    const [inner] = syntax.namedChildren(base);
    const isCall = inner !== undefined && syntax.typeOf(inner) === "constructor_invocation";
    return syntax.render((isCall ? syntax.namedChildren(inner)[0] : inner) ?? base);
  });
}

const classLike: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  if (walk.tooDeep(scope)) return;
  const name = syntax.child(node, "name");
  const body = pick(syntax, node, ["class_body", "enum_class_body"]);
  const bases = syntax.childOfType(node, "delegation_specifiers");
  const primary = syntax.childOfType(node, "primary_constructor");
  const inner = walk.addClass(node, scope, {
    name: name === undefined ? "Companion" : syntax.render(name),
    kind: kindOf(syntax, node),
    extends: basesOf(syntax, bases),
    cut: [name, bases, primary],
    body,
    exported: visible(walk, node, scope),
  });
  if (primary !== undefined) {
    const params = syntax.childOfType(primary, "class_parameters");
    walk.addFunction(primary, inner, { name: "constructor", params: paramsOf(syntax, params), cut: [params] });
  }
  if (body !== undefined) walk.inside(body, inner);
};

/** What stands before the initial value, the delegate or the accessors; of those only a setter's visibility counts. */
function propertyText(syntax: Syntax, node: number): string {
  const parts: string[] = [];
  let isHead = true;
  for (const child of syntax.children(node)) {
    const type = syntax.typeOf(child);
    if (type === "=" || type === "property_delegate" || type === "getter" || type === "setter") isHead = false;
    const modifiers = type === "setter" ? syntax.childOfType(child, "modifiers") : undefined;
    if (isHead) parts.push(syntax.render(child));
    else if (modifiers !== undefined) parts.push(`${syntax.render(modifiers)} set`);
  }
  return parts.join(" ").replaceAll(" . ", ".");
}

const propertyDeclaration: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const text = propertyText(syntax, node);
  if (scope.owner !== undefined) {
    scope.owner.properties.push(text);
    return;
  }
  const declared = syntax.childOfType(node, "variable_declaration", "multi_variable_declaration");
  const name = declared === undefined ? undefined : syntax.namedChildren(declared)[0];
  if (name === undefined || !visible(walk, node, scope)) return;
  walk.addExport(scope, syntax.render(name));
  walk.values.set(syntax.render(name), text);
};

/** What a function can extend: a part of its name. */
const RECEIVERS = ["user_type", "nullable_type", "parenthesized_type"];

/** An extension is named with the type it extends: `String.ext`, which the grammar at times takes for one type, by what stands before it. */
function functionName(syntax: Syntax, node: number): string {
  const name = syntax.child(node, "name");
  const text = name === undefined ? "" : syntax.render(name);
  const dot = syntax.childOfType(node, ".");
  if (text !== "" && dot === undefined) return text;
  const receiver = syntax.childOfType(node, ...RECEIVERS);
  return [receiver === undefined ? "" : syntax.render(receiver), text].filter((part) => part !== "").join(".");
}

const enumEntry: Handler = (walk, node, scope) => {
  const body = walk.syntax.childOfType(node, "class_body");
  walk.addProperty(node, scope, body === undefined ? undefined : new Set([body]));
};

const typeAlias: Handler = (walk, node, scope) => {
  const name = walk.syntax.child(node, "type");
  const value = walk.syntax.namedChildren(node).at(-1);
  if (name === undefined || value === undefined) return;
  addAlias(walk, node, scope, { name, value, exported: visible(walk, node, scope) });
};

/** Outside of scripts no expression stands at the top of a file: the grammar took a declaration for one. */
const misread: Handler = (walk, node, scope) => {
  if (scope.owner === undefined && !walk.filePath.endsWith(".kts")) walk.addUnreadable(node);
};

const packageHeader: Handler = (walk, node) => {
  walk.values.set("package", walk.syntax.render(node).replace(/^package /, ""));
};

/** `import a.b.C`, `import a.b.*`, `import a.b.C as D` */
function importHeader(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const [path, alias] = syntax.namedChildren(node);
  if (path === undefined) return undefined;
  const text = syntax.render(path);
  if (syntax.childOfType(node, "*") !== undefined) return { source: text, specifiers: ["*"] };
  const dot = text.lastIndexOf(".");
  const name = text.slice(dot + 1);
  return {
    source: text.slice(0, Math.max(dot, 0)),
    specifiers: [alias === undefined ? name : `${name} as ${syntax.render(alias)}`],
  };
}

const parts = {
  params: "function_value_parameters",
  returns: ":",
  body: ["function_body", "block"],
  exported: visible,
};

export const rules: LanguageRules = {
  tokens: {
    lexer: { interpolation: "${", characters: true },
    frames: ["source_file", "class_body", "enum_class_body", "block", "lambda_literal", "when_expression"],
    comments: ["line_comment", "block_comment"],
    atoms: { string_literal: true, multiline_string_literal: true, character_literal: true },
    leaves: ["identifier", "number_literal"],
    optional: [";"],
    hidden: ";",
    trailingCommaIn: [
      "value_arguments",
      "function_value_parameters",
      "class_parameters",
      "type_arguments",
      "type_parameters",
    ],
  },
  declarations: {
    package_header: packageHeader,
    class_declaration: classLike,
    object_declaration: classLike,
    companion_object: classLike,
    function_declaration: fn({ ...parts, name: functionName, without: [...RECEIVERS, "."] }),
    secondary_constructor: fn({
      ...parts,
      name: () => "constructor",
      returns: [],
      without: ["constructor_delegation_call"],
    }),
    property_declaration: propertyDeclaration,
    enum_entry: enumEntry,
    type_alias: typeAlias,
    annotated_expression: misread,
    infix_expression: misread,
    anonymous_initializer: opaque,
    lambda_literal: opaque,
    block: opaque,
  },
  calls: {
    at: { call_expression: ["value_arguments", "annotated_lambda"] },
    binds: { parameter: ["identifier"], variable_declaration: ["identifier"] },
    everyName: true,
  },
  importStatements: ["import"],
  behaviour: {
    branches: [
      "if_expression",
      "when_expression",
      "when_entry",
      "for_statement",
      "while_statement",
      "do_while_statement",
      "try_expression",
      "catch_block",
      "finally_block",
    ],
    throws: ["throw_expression", "catch_block", "!!"],
    throwingCalls: [
      "error",
      "require",
      "check",
      "requireNotNull",
      "checkNotNull",
      "TODO",
      "exitProcess",
      "runCatching",
      "getOrThrow",
    ],
  },
  imports: { import: importHeader },
  silent: { annotation: (syntax, node) => /^@Suppress\b/.test(syntax.render(node)) },
  noise: ["fun", "class", "interface", "object", "typealias", ":", "="],
};
