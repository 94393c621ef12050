import { alias, hasModifier, opaque, paramsOf, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ClassKind, ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** Public is the default. */
const visible = (walk: Walk, node: number, scope: Scope) =>
  (scope.owner === undefined || scope.exported) && !hasModifier(walk.syntax, node, "private", "protected");

/** `(a: Int)(implicit b: B)`: several lists, kept apart by a mark. */
function listsOf(syntax: Syntax, node: number, type: string): { nodes: number[]; params: string[] } {
  const nodes = syntax.namedChildren(node).filter((child) => syntax.typeOf(child) === type);
  const params = nodes.flatMap((list, at) => (at === 0 ? paramsOf(syntax, list) : [")(", ...paramsOf(syntax, list)]));
  return { nodes, params };
}

const functionLike: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const { nodes, params } = listsOf(syntax, node, "parameters");
  const returns = syntax.child(node, "return_type");
  walk.addFunction(node, scope, {
    name: syntax.render(name),
    params,
    returns,
    cut: [name, ...nodes, returns],
    body: syntax.child(node, "body"),
    exported: visible(walk, node, scope),
  });
};

/** What is extended, without the arguments of its constructor. */
function basesOf(syntax: Syntax, clause: number | undefined): string[] {
  if (clause === undefined) return [];
  return syntax
    .namedChildren(clause)
    .filter((child) => syntax.typeOf(child) !== "arguments")
    .map((child) => syntax.render(child));
}

function typeLike(kind: ClassKind): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const name = syntax.child(node, "name");
    if (name === undefined || walk.tooDeep(scope)) return;
    const body = syntax.child(node, "body");
    const above = syntax.child(node, "extend");
    const { nodes, params } = listsOf(syntax, node, "class_parameters");
    const inner = walk.addClass(node, scope, {
      name: syntax.render(name),
      kind,
      extends: basesOf(syntax, above),
      cut: [name, above, ...nodes],
      body,
      exported: visible(walk, node, scope),
    });
    const [first] = nodes;
    if (first !== undefined)
      walk.addFunction(first, inner, {
        name: "this",
        params,
        cut: syntax.children(first),
        signatureOf: first,
      });
    if (body !== undefined) walk.inside(body, inner);
  };
}

const value: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  if (scope.owner !== undefined) {
    walk.addProperty(node, scope);
    return;
  }
  const name = syntax.child(node, "pattern") ?? syntax.child(node, "name");
  if (name === undefined || !visible(walk, node, scope)) return;
  walk.addExport(scope, syntax.render(name));
  walk.values.set(syntax.render(name), syntax.render(node).replace(/\s*=$/, ""));
};

const typeName = alias({ exported: visible });
const typeDefinition: Handler = (walk, node, scope) =>
  scope.owner === undefined ? typeName(walk, node, scope) : walk.addProperty(node, scope);

const packageClause: Handler = (walk, node, scope) => {
  const name = walk.syntax.child(node, "name");
  const before = walk.values.get("package");
  const text = name === undefined ? "" : walk.syntax.render(name);
  walk.values.set("package", before === undefined ? text : `${before}.${text}`);
  walk.inside(node, scope);
};

/** `import a.b.{C, D => E, _}, x.y` */
function importDeclaration(syntax: Syntax, node: number): ImportFingerprint[] {
  const text = syntax.render(node).replace(/^import /, "");
  return text.split(/,(?![^{]*\})/).map((path) => {
    const [, source = "", list = ""] =
      /^\s*(.*?)\.?\{(.*)\}\s*$/.exec(path) ?? /^\s*(?:(.*)\.)?([^.]+?)\s*$/.exec(path) ?? [];
    const specifiers = list.split(",").map((one) =>
      one
        .trim()
        .replace(/\s*=>\s*/, " as ")
        .replace(/^_$/, "*"),
    );
    return { source, specifiers };
  });
}

export const rules: LanguageRules = {
  tokens: {
    lexer: { interpolation: "${", interpolatedByPrefix: true, characters: true },
    frames: [
      "compilation_unit",
      "template_body",
      "with_template_body",
      "enum_body",
      "enum_case_definitions",
      "block",
      "indented_block",
      "indented_cases",
      "case_block",
      "case_clause",
    ],
    comments: ["comment", "block_comment"],
    atoms: { string: true, interpolated_string_expression: true, character_literal: true, symbol_literal: true },
    leaves: ["identifier", "type_identifier", "integer_literal"],
    optional: [";"],
    hidden: ";",
    trailingCommaIn: ["arguments", "parameters", "class_parameters", "namespace_selectors", "type_arguments"],
  },
  declarations: {
    package_clause: packageClause,
    class_definition: typeLike("class"),
    object_definition: typeLike("class"),
    package_object: typeLike("module"),
    trait_definition: typeLike("trait"),
    enum_definition: typeLike("enum"),
    function_definition: functionLike,
    function_declaration: functionLike,
    val_definition: value,
    var_definition: value,
    val_declaration: value,
    var_declaration: value,
    given_definition: value,
    simple_enum_case: property,
    full_enum_case: property,
    type_definition: typeDefinition,
    block: opaque,
    lambda_expression: opaque,
  },
  calls: {
    at: { call_expression: ["arguments"], instance_expression: ["arguments"] },
    binds: { parameter: ["name"], val_definition: ["pattern"], var_definition: ["pattern"] },
    everyName: true,
  },
  importStatements: ["import_declaration"],
  behaviour: {
    branches: [
      "if_expression",
      "match_expression",
      "case_clause",
      "while_expression",
      "do_while_expression",
      "for_expression",
      "try_expression",
      "catch_clause",
      "finally_clause",
    ],
    throws: ["throw_expression", "catch_clause"],
    throwingCalls: ["require", "assert", "assume", "sys.error", "sys.exit", "raiseError", "recover", "recoverWith"],
  },
  imports: { import_declaration: importDeclaration },
  elided: { val_definition: ["value"], var_definition: ["value"], given_definition: ["body"] },
  noise: ["def", "class", "object", "trait", "enum", "type", ":", "="],
};
