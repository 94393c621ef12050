import type { TokenRules } from "../rules.js";

/** `'it\'s'` and `"it's"` are one string. JSX attributes know no escapes, so there a backslash stays what it is. */
function quoted(text: string, parentType: string): string {
  const inner = text.slice(1, -1);
  if (!inner.includes("\\")) return `"${inner.replaceAll('"', '\\"')}"`;
  if (parentType === "jsx_attribute") return text;
  const plain = inner.replace(/\\([\s\S])/g, (pair, char: string) => (char === "'" || char === '"' ? char : pair));
  return `"${plain.replaceAll('"', '\\"')}"`;
}

/** JSX drops the white space around line breaks, and lines that hold nothing else. */
function jsxText(text: string): string {
  if (!text.includes("\n")) return text;
  const lines = text.split("\n");
  const kept = lines.map((line, at) => {
    const start = at === 0 ? line : line.trimStart();
    return at === lines.length - 1 ? start : start.trimEnd();
  });
  return kept.filter((line) => line !== "").join(" ");
}

export const tokens: TokenRules = {
  frames: [
    "program",
    "statement_block",
    "class_body",
    "switch_case",
    "switch_default",
    "interface_body",
    "object_type",
    "sequence_expression",
    "ternary_expression",
  ],
  comments: ["comment", "html_comment"],
  // Before the `?` of a condition.
  uncovered: /^(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)/,
  atoms: { string: quoted, jsx_text: jsxText, template_string: true, template_literal_type: true, regex: true },
  leaves: [
    "false",
    "identifier",
    "null",
    "number",
    "private_property_identifier",
    "property_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "statement_identifier",
    "this",
    "true",
    "type_identifier",
    "undefined",
  ],
  optional: [";"],
  keptIn: ["for_statement", "empty_statement"],
  optionalIn: { interface_body: [",", ";"], object_type: [",", ";"] },
  // Not below member access and calls: `(a?.b).c` is not `a?.b.c`. Not at statement level: `("use strict")` is no directive.
  transparent: {
    parenthesized_expression: [
      "arguments",
      "array",
      "arrow_function",
      "assignment_expression",
      "jsx_expression",
      "pair",
      "return_statement",
      "ternary_expression",
      "variable_declarator",
    ],
  },
  trailingCommaIn: [
    "arguments",
    "array",
    "array_pattern",
    "enum_body",
    "export_clause",
    "formal_parameters",
    "named_imports",
    "object",
    "object_pattern",
    "tuple_type",
    "type_arguments",
    "type_parameters",
  ],
};
