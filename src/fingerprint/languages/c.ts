import { opaque, property } from "../helpers.js";
import type { LanguageRules } from "../rules.js";
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
} from "./c-family.js";

export const rules: LanguageRules = {
  tokens: commonTokens,
  declarations: {
    function_definition: functionDefinition,
    declaration,
    struct_specifier: aggregate("struct"),
    union_specifier: aggregate("struct"),
    enum_specifier: aggregate("enum"),
    type_definition: typeDefinition,
    field_declaration: field,
    enumerator: property,
    labeled_statement: label,
    expression_statement: statement,
    preproc_def: macro,
    preproc_function_def: macro,
    compound_statement: opaque,
  },
  calls: cCalls,
  importStatements: ["preproc_include"],
  behaviour: {
    branches: cBranches,
    throwingNames: C_ERRORS,
    throwingCalls: ["abort", "exit", "_exit", "assert", "longjmp"],
  },
  imports: { preproc_include: include },
  noise: ["struct", "union", "enum", "typedef", ";"],
};
