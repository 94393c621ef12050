import { cls, fn, opaque, property } from "../helpers.js";
import type { LanguageRules } from "../rules.js";
import { ambient, ecmaClass, enumBody, field, method, namespace, typeAlias } from "./ecmascript-classes.js";
import { commonJs, exportStatement, variablesAndExports } from "./ecmascript-exports.js";
import { callImport, exportFrom, importStatement } from "./ecmascript-imports.js";
import { plain } from "./ecmascript-plain.js";
import { tokens } from "./ecmascript-tokens.js";

/** TypeScript, TSX and JavaScript: three grammars with the same node names. */
export const rules: LanguageRules = {
  tokens,
  plain,
  declarations: {
    function_declaration: fn(),
    generator_function_declaration: fn(),
    function_signature: fn(),
    class_declaration: ecmaClass,
    abstract_class_declaration: ecmaClass,
    interface_declaration: cls({ kind: "interface", extends: ["extends_type_clause", "extends_clause"] }),
    enum_declaration: cls({ kind: "enum" }),
    enum_body: enumBody,
    type_alias_declaration: typeAlias,
    internal_module: namespace,
    module: namespace,
    ambient_declaration: ambient,
    export_statement: exportStatement,
    lexical_declaration: variablesAndExports,
    variable_declaration: variablesAndExports,
    expression_statement: commonJs,

    method_definition: method,
    method_signature: method,
    abstract_method_signature: method,
    public_field_definition: field,
    field_definition: field,
    property_signature: property,
    call_signature: property,
    construct_signature: property,
    index_signature: property,

    // What these declare is not visible from outside.
    arrow_function: opaque,
    function_expression: opaque,
    generator_function: opaque,
    class: opaque,
    class_static_block: opaque,
    object: opaque,
    statement_block: opaque,
  },
  // TypeScript's grammar puts a method's decorators before it; those of a class are inside it.
  leading: ["decorator"],
  importStatements: ["import_statement"],
  behaviour: {
    branches: [
      "if_statement",
      "else_clause",
      "switch_statement",
      "switch_case",
      "switch_default",
      "for_statement",
      "for_in_statement",
      "while_statement",
      "do_statement",
      "ternary_expression",
      "try_statement",
      "catch_clause",
      "finally_clause",
    ],
    throws: ["throw_statement", "catch_clause"],
    throwingCalls: ["process.exit", "reject", "Promise.reject", "catch", "assert", "invariant"],
  },
  imports: { import_statement: importStatement, export_statement: exportFrom, call_expression: callImport },
  calls: {
    at: { call_expression: ["arguments"], new_expression: ["arguments"] },
    binds: {
      variable_declarator: ["name"],
      function_declaration: ["name"],
      required_parameter: ["pattern"],
      optional_parameter: ["pattern"],
      formal_parameters: ["identifier", "object_pattern", "array_pattern"],
      assignment_pattern: ["left"],
      arrow_function: ["parameter"],
    },
  },
  elided: {
    required_parameter: ["value"],
    optional_parameter: ["value"],
    assignment_pattern: ["right"],
    object_assignment_pattern: ["right"],
    public_field_definition: ["value"],
    field_definition: ["value"],
  },
  noise: ["function", "class", "interface", "enum", "type", "namespace", "module", "export", "default", "=>", "="],
  orderedOverloads: true,
};
