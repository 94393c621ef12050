import { cls, declarators, fn, hasModifier, opaque, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";
import { plain } from "./java-plain.js";

/** `public`, and whatever an interface lists unless it says `private`. */
function visible(walk: Walk, node: number, scope: Scope): boolean {
  if (scope.prefix !== "" && !scope.exported) return false;
  if (scope.owner?.kind === "interface") return !hasModifier(walk.syntax, node, "private");
  return hasModifier(walk.syntax, node, "public");
}

const packageDeclaration: Handler = (walk, node) => {
  walk.values.set("package", walk.syntax.render(node).replace(/^package |;$/g, ""));
};

/** `import a.b.C;`, `import static a.B.m;`, `import a.*;` */
function importDeclaration(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const [path, star] = syntax.namedChildren(node);
  if (path === undefined) return undefined;
  const text = syntax.render(path);
  if (star !== undefined) return { source: text, specifiers: ["*"] };
  const dot = text.lastIndexOf(".");
  return dot < 0 ? { source: text, specifiers: [] } : { source: text.slice(0, dot), specifiers: [text.slice(dot + 1)] };
}

const forTools = (syntax: Syntax, node: number) =>
  /^@(SuppressWarnings|SafeVarargs|Override)\b/.test(syntax.render(node));

/** What an interface lists is public, its methods are abstract, its fields constants, said or not. */
function isRedundant(syntax: Syntax, word: number): boolean {
  const member = syntax.parentOf(syntax.parentOf(word));
  if (member < 0 || syntax.typeOf(syntax.parentOf(member)) !== "interface_body") return false;
  const isMethod = syntax.typeOf(member) === "method_declaration";
  const redundant = isMethod ? ["public", "abstract"] : ["public", "static", "final"];
  return (isMethod || syntax.typeOf(member) === "constant_declaration") && redundant.includes(syntax.typeOf(word));
}

const heritage = { extends: ["superclass", "extends_interfaces"], implements: ["interfaces"], exported: visible };
const method = fn({ returns: "type", exported: visible });
const fields = declarators("declarator");

export const rules: LanguageRules = {
  tokens: {
    comments: ["line_comment", "block_comment"],
    atoms: { string_literal: true, character_literal: true },
    leaves: [
      "identifier",
      "type_identifier",
      "decimal_integer_literal",
      "void_type",
      "this",
      "true",
      "false",
      "null_literal",
    ],
    trailingCommaIn: ["array_initializer", "element_value_array_initializer", "enum_body"],
  },
  plain,
  declarations: {
    package_declaration: packageDeclaration,
    class_declaration: cls({ kind: "class", ...heritage }),
    record_declaration: cls({ kind: "class", ...heritage }),
    interface_declaration: cls({ kind: "interface", ...heritage }),
    annotation_type_declaration: cls({ kind: "interface", exported: visible }),
    enum_declaration: cls({ kind: "enum", ...heritage }),
    method_declaration: method,
    constructor_declaration: method,
    compact_constructor_declaration: method,
    field_declaration: fields,
    constant_declaration: fields,
    enum_constant: property,
    annotation_type_element_declaration: property,
    static_initializer: opaque,
    block: opaque,
    lambda_expression: opaque,
  },
  importStatements: ["import_declaration"],
  behaviour: {
    branches: [
      "if_statement",
      "while_statement",
      "do_statement",
      "for_statement",
      "enhanced_for_statement",
      "switch_expression",
      "switch_block_statement_group",
      "switch_rule",
      "ternary_expression",
      "try_statement",
      "try_with_resources_statement",
      "catch_clause",
      "finally_clause",
    ],
    throws: ["throw_statement", "catch_clause"],
    throwingCalls: ["System.exit", "requireNonNull", "checkNotNull", "checkArgument", "checkState", "orElseThrow"],
  },
  imports: { import_declaration: importDeclaration },
  calls: {
    at: { method_invocation: ["arguments"], object_creation_expression: ["arguments"] },
    everyName: true,
  },
  elided: { enum_constant: ["body"] },
  silent: {
    annotation: forTools,
    marker_annotation: forTools,
    public: isRedundant,
    abstract: isRedundant,
    static: isRedundant,
    final: isRedundant,
  },
  noise: ["class", "interface", "enum", "record", "@interface", ";"],
};
