import { opaque, property } from "../helpers.js";
import type { LanguageRules } from "../rules.js";
import {
  aggregate,
  commonTokens,
  declaration,
  field,
  functionDefinition,
  include,
  macro,
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
    preproc_def: macro,
    preproc_function_def: macro,
    compound_statement: opaque,
  },
  imports: { preproc_include: include },
  noise: ["struct", "union", "enum", "typedef", ";"],
};
