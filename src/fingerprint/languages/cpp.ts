import { alias, opaque, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import {
  aggregate,
  C_ERRORS,
  cBranches,
  cCalls,
  commonTokens,
  declaration,
  field,
  functionDefinition,
  include,
  label,
  macro,
  statement,
  typeDefinition,
  visible,
} from "./c-family.js";

/** `public:` holds for what follows it. */
const access: Handler = (walk, node, scope) => {
  if (scope.owner !== undefined) scope.mode = walk.syntax.render(node);
};

const template: Handler = (walk, node, scope) => walk.inside(node, { ...scope, outer: scope.outer ?? node });

/** A namespace is part of the names in it; one without a name hides them from other files. */
const namespace: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const body = syntax.child(node, "body");
  if (body === undefined || walk.tooDeep(scope)) return;
  const prefix = name === undefined ? scope.prefix : `${scope.prefix}${syntax.render(name).replaceAll("::", ".")}.`;
  const mode = name === undefined ? "anonymous" : (scope.mode ?? "");
  walk.inside(body, { prefix, exported: false, isNamespace: true, depth: scope.depth + 1, mode });
};

const member: Handler = (walk, node, scope) => {
  if (scope.owner !== undefined) walk.addProperty(node, scope);
};

const typeName = alias({ exported: visible });

export const rules: LanguageRules = {
  tokens: { ...commonTokens, trailingCommaIn: [...commonTokens.trailingCommaIn] },
  declarations: {
    function_definition: functionDefinition,
    declaration,
    class_specifier: aggregate("class", ["base_class_clause"]),
    struct_specifier: aggregate("struct", ["base_class_clause"]),
    union_specifier: aggregate("struct"),
    enum_specifier: aggregate("enum"),
    type_definition: typeDefinition,
    alias_declaration: typeName,
    concept_definition: alias({ exported: visible, value: "value" }),
    field_declaration: field,
    friend_declaration: member,
    using_declaration: member,
    enumerator: property,
    labeled_statement: label,
    expression_statement: statement,
    access_specifier: access,
    template_declaration: template,
    namespace_definition: namespace,
    preproc_def: macro,
    preproc_function_def: macro,
    compound_statement: opaque,
    lambda_expression: opaque,
  },
  calls: cCalls,
  importStatements: ["preproc_include"],
  behaviour: {
    branches: [...cBranches, "for_range_loop", "try_statement", "catch_clause"],
    throws: ["throw_statement", "catch_clause"],
    throwingNames: C_ERRORS,
    throwingCalls: ["abort", "exit", "_exit", "assert", "longjmp", "terminate"],
  },
  imports: { preproc_include: include },
  elided: { optional_parameter_declaration: ["default_value"], field_declaration: ["default_value"] },
  noise: ["struct", "class", "union", "typedef", "using", ";"],
};
