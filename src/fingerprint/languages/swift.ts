import { addAlias, hasModifier, opaque, paramTexts, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ClassKind, ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** Other files see all but `private` and `fileprivate`. */
const visible = (walk: Walk, node: number, scope: Scope) =>
  (scope.owner === undefined || scope.exported) && !hasModifier(walk.syntax, node, "private", "fileprivate");

/** The grammar has no node around parameters: they are what stands between the brackets. */
const functionLike: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const children = syntax.children(node);
  const at = (type: string) => children.findIndex((child) => !syntax.isNamed(child) && syntax.typeOf(child) === type);
  const params = children.slice(at("(") + 1, at(")"));
  const arrow = at("->");
  const returns = arrow < 0 ? undefined : children[arrow + 1];
  walk.addFunction(node, scope, {
    name: syntax.render(name),
    params: paramTexts(syntax, params),
    returns,
    cut: [name, ...params, returns],
    body: syntax.child(node, "body"),
    exported: visible(walk, node, scope),
  });
};

const KINDS: Readonly<Record<string, ClassKind>> = { enum: "enum", struct: "struct", protocol: "interface" };

/** Classes, structs, enums, actors, protocols; an extension adds to its type, whether that is declared here or not. */
const typeLike: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const keyword = syntax.child(node, "declaration_kind");
  if (name === undefined || keyword === undefined || walk.tooDeep(scope)) return;
  const bases = syntax.namedChildren(node).filter((child) => syntax.typeOf(child) === "inheritance_specifier");
  const body = syntax.child(node, "body");
  const text = syntax.render(name).replace(/<.*$/, "");
  const word = syntax.render(keyword);
  const declared = word === "extension" ? walk.classes.find((one) => one.name === scope.prefix + text) : undefined;
  const inner = walk.addClass(node, scope, {
    name: text,
    kind: declared?.kind ?? KINDS[word] ?? "class",
    extends: bases.map((base) => syntax.render(base)),
    cut: [name, ...bases],
    body,
    exported: visible(walk, node, scope),
  });
  if (body !== undefined) walk.inside(body, inner);
};

/** Whether it can be set counts, how it is computed does not. */
const propertyDeclaration: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const computed = syntax.child(node, "computed_value");
  const setter = computed === undefined ? undefined : syntax.childOfType(computed, "computed_setter");
  const accessors = computed === undefined ? "" : setter === undefined ? " { get }" : " { get set }";
  const text = syntax.render(node).replace(/\s*=$/, "") + accessors;
  if (scope.owner !== undefined) {
    scope.owner.properties.push(text);
    return;
  }
  const name = syntax.child(node, "name");
  if (name === undefined || !visible(walk, node, scope)) return;
  walk.addExport(scope, syntax.render(name));
  walk.values.set(syntax.render(name), text);
};

const subscript: Handler = (walk, node, scope) => {
  const computed = walk.syntax.childOfType(node, "computed_property");
  walk.addProperty(node, scope, computed === undefined ? undefined : new Set([computed]));
};

const typeAlias: Handler = (walk, node, scope) => {
  const [name, value] = walk.syntax.childrenOf(node, "name");
  if (name === undefined || value === undefined) return;
  addAlias(walk, node, scope, { name, value, exported: visible(walk, node, scope) });
};

function importDeclaration(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const name = syntax.childOfType(node, "identifier");
  return name === undefined ? undefined : { source: syntax.render(name), specifiers: [] };
}

export const rules: LanguageRules = {
  tokens: {
    lexer: { interpolation: "\\(", hashed: true },
    frames: [
      "source_file",
      "statements",
      "class_body",
      "enum_class_body",
      "protocol_body",
      "computed_property",
      "switch_entry",
      "lambda_literal",
    ],
    comments: ["comment", "multiline_comment"],
    atoms: {
      line_string_literal: true,
      multi_line_string_literal: true,
      raw_string_literal: true,
      regex_literal: true,
    },
    leaves: ["simple_identifier", "type_identifier", "integer_literal"],
    optional: [";"],
    hidden: ";",
    trailingCommaIn: ["array_literal", "dictionary_literal"],
  },
  declarations: {
    class_declaration: typeLike,
    protocol_declaration: typeLike,
    function_declaration: functionLike,
    protocol_function_declaration: functionLike,
    init_declaration: functionLike,
    property_declaration: propertyDeclaration,
    protocol_property_declaration: property,
    subscript_declaration: subscript,
    associatedtype_declaration: property,
    enum_entry: property,
    typealias_declaration: typeAlias,
    deinit_declaration: opaque,
    lambda_literal: opaque,
  },
  calls: {
    at: { call_expression: ["call_suffix"] },
    binds: { parameter: ["name"], property_declaration: ["name"], lambda_parameter: ["name"] },
    everyName: true,
  },
  importStatements: ["import_declaration"],
  behaviour: {
    branches: [
      "if_statement",
      "guard_statement",
      "switch_statement",
      "switch_entry",
      "for_statement",
      "while_statement",
      "repeat_while_statement",
      "do_statement",
      "catch_block",
      "ternary_expression",
    ],
    throws: ["throw_keyword", "catch_block"],
    throwingCalls: ["fatalError", "precondition", "preconditionFailure", "assertionFailure", "exit"],
  },
  imports: { import_declaration: importDeclaration },
  elided: { property_declaration: ["value", "computed_value"] },
  noise: ["func", "struct", "enum", "protocol", "(", ")", ":", ",", "->", "="],
};
