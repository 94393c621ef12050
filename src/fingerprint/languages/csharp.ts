import { cls, fn, hasModifier, opaque, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** `public`, and whatever an interface lists unless it says otherwise. */
function visible(walk: Walk, node: number, scope: Scope): boolean {
  if (scope.owner !== undefined && !scope.exported) return false;
  if (scope.owner?.kind === "interface") return !hasModifier(walk.syntax, node, "private", "protected", "internal");
  return hasModifier(walk.syntax, node, "public");
}

/** A file's namespace is not repeated in every name, but a change of it is one of the interface. */
const namespace: Handler = (walk, node, scope) => {
  const name = walk.syntax.child(node, "name");
  const before = walk.values.get("namespace");
  const text = name === undefined ? "" : walk.syntax.render(name);
  walk.values.set("namespace", before === undefined ? text : `${before}, ${text}`);
  walk.inside(node, scope);
};

/** `private int a = 1, b;` gives `private int a` and `private int b`. */
const fields: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const variables = syntax.childOfType(node, "variable_declaration");
  if (variables === undefined) return;
  const all = syntax.namedChildren(variables).filter((child) => syntax.typeOf(child) === "variable_declarator");
  const shared = syntax.render(node, new Set(all), new Set([",", ";"]));
  for (const declarator of all) {
    const name = syntax.child(declarator, "name");
    if (name !== undefined) scope.owner?.properties.push(`${shared} ${syntax.render(name)}`);
  }
};

const method = (name?: (syntax: Syntax, node: number) => string) =>
  fn({
    ...(name === undefined ? {} : { name }),
    returns: ["returns", "type"],
    without: ["constructor_initializer"],
    exported: visible,
  });

const text = (syntax: Syntax, node: number, field: string) => {
  const child = syntax.child(node, field);
  return child === undefined ? "" : syntax.render(child);
};

/** `using A.B;`, `using X = A.B;` */
function using(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const alias = syntax.child(node, "name");
  const source = syntax.namedChildren(node).find((child) => child !== alias);
  if (source === undefined) return undefined;
  return { source: syntax.render(source), specifiers: alias === undefined ? [] : [`* as ${syntax.render(alias)}`] };
}

const type = (kind: "class" | "interface" | "enum" | "struct") =>
  cls({ kind, extends: ["base_list"], exported: visible });

export const rules: LanguageRules = {
  tokens: {
    frames: [
      "preproc_if",
      "preproc_else",
      "preproc_elif",
      "preproc_define",
      "preproc_undef",
      "preproc_pragma",
      "preproc_nullable",
      "preproc_line",
    ],
    comments: ["comment", "preproc_region", "preproc_endregion"],
    atoms: {
      string_literal: true,
      verbatim_string_literal: true,
      raw_string_literal: true,
      interpolated_string_expression: true,
      character_literal: true,
    },
    leaves: ["identifier", "integer_literal", "predefined_type"],
    trailingCommaIn: ["enum_member_declaration_list", "initializer_expression"],
  },
  declarations: {
    namespace_declaration: namespace,
    file_scoped_namespace_declaration: namespace,
    class_declaration: type("class"),
    record_declaration: type("class"),
    struct_declaration: type("struct"),
    interface_declaration: type("interface"),
    enum_declaration: type("enum"),
    method_declaration: method(),
    constructor_declaration: method(),
    destructor_declaration: method((syntax, node) => `~${text(syntax, node, "name")}`),
    operator_declaration: method((syntax, node) => `operator ${text(syntax, node, "operator")}`),
    conversion_operator_declaration: method((syntax, node) => `operator ${text(syntax, node, "type")}`),
    delegate_declaration: method(),
    property_declaration: property,
    indexer_declaration: property,
    event_declaration: property,
    field_declaration: fields,
    event_field_declaration: fields,
    enum_member_declaration: property,
    block: opaque,
    lambda_expression: opaque,
    global_statement: opaque,
  },
  calls: {
    at: { invocation_expression: ["arguments"], object_creation_expression: ["arguments"] },
    binds: { parameter: ["name"], variable_declarator: ["name"], local_function_statement: ["name"] },
    everyName: true,
  },
  importStatements: ["using_directive"],
  behaviour: {
    branches: [
      "if_statement",
      "while_statement",
      "do_statement",
      "for_statement",
      "foreach_statement",
      "switch_statement",
      "switch_section",
      "switch_expression",
      "switch_expression_arm",
      "conditional_expression",
      "try_statement",
      "catch_clause",
      "finally_clause",
      "goto_statement",
    ],
    throws: ["throw_statement", "throw_expression", "catch_clause"],
    throwingNames: /^Throw(?:If|$)/,
    throwingCalls: ["Environment.Exit", "Environment.FailFast"],
  },
  imports: { using_directive: using },
  elided: { property_declaration: ["value"], accessor_declaration: ["body"], indexer_declaration: ["value"] },
  silent: { attribute_list: (syntax, node) => /^\[[\w.]*\bSuppressMessage\([^\]]*\)\]$/.test(syntax.render(node)) },
  noise: ["class", "interface", "enum", "struct", "record", "delegate", ";"],
};
