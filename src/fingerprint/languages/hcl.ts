import { joinTokens } from "../render.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";

/** Blocks that others refer to by another word than the one they begin with. */
const PREFIXES: Readonly<Record<string, string>> = { variable: "var.", resource: "" };
/** Settings of the file itself, not things with a name. */
const UNNAMED = new Set(["terraform", "locals", "moved", "removed", "import"]);
/** What users of a module see. */
const SEEN = new Set(["variable", "output"]);
/** Arguments of any block that say what it is, or how many of it there are. */
const WHOLE = new Set(["type", "nullable", "sensitive", "ephemeral", "source", "version", "provider", "providers"]);
const PRESENT = new Set(["default", "value", "count", "for_each"]);

interface LabelledBlock {
  type: string;
  labels: number[];
  body: number | undefined;
}

function blockOf(syntax: Syntax, node: number): LabelledBlock {
  const [type, ...rest] = syntax.namedChildren(node);
  return {
    type: type === undefined ? "" : syntax.render(type),
    labels: rest.filter((child) => /^(string_lit|identifier)$/.test(syntax.typeOf(child))),
    body: syntax.childOfType(node, "body"),
  };
}

interface Argument {
  name: string;
  value: number;
}

function argumentsOf(syntax: Syntax, body: number | undefined): Argument[] {
  if (body === undefined) return [];
  return syntax.namedChildren(body).flatMap((child) => {
    const [name, value] = syntax.namedChildren(child);
    if (syntax.typeOf(child) !== "attribute" || name === undefined || value === undefined) return [];
    return [{ name: syntax.render(name), value }];
  });
}

/** `resource "aws_vpc" "this"` is `aws_vpc.this`, as Terraform itself names it. */
const block: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const { type, labels, body } = blockOf(syntax, node);
  if (type === "locals") {
    for (const { name } of argumentsOf(syntax, body)) walk.addValue(`local.${name}`);
    return;
  }
  if (UNNAMED.has(type) || labels.length === 0) return;
  const names = labels.map((label) => syntax.render(label));
  const brackets = syntax.namedChildren(node).filter((child) => /^block_/.test(syntax.typeOf(child)));
  const inner = walk.addClass(node, scope, {
    name: `${PREFIXES[type] ?? `${type}.`}${names.join(".")}`.replaceAll(":", "_"),
    kind: type === "module" ? "module" : SEEN.has(type) ? "type" : "struct",
    cut: [...labels, ...brackets],
    body,
    exported: SEEN.has(type),
  });
  const properties = argumentsOf(syntax, body).flatMap(({ name, value }) => {
    if (WHOLE.has(name)) return [joinTokens([name, "=", syntax.render(value)])];
    return PRESENT.has(name) ? [`${name} =`] : [];
  });
  for (const one of properties.sort()) inner.owner?.properties.push(one);
};

/** A file of values has no blocks: `region = "eu"`. */
const value: Handler = (walk, node) => {
  const [name] = walk.syntax.namedChildren(node);
  if (name !== undefined) walk.addValue(walk.syntax.render(name));
};

function moduleSource(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const { type, body } = blockOf(syntax, node);
  const source = argumentsOf(syntax, body).find(({ name }) => name === "source");
  if ((type !== "module" && type !== "terraform") || source === undefined) return undefined;
  return { source: syntax.render(source.value).replace(/^"|"$/g, ""), specifiers: [] };
}

/** A label is a name, with quotes or without. */
const text = (literal: string, parent: string) => (parent === "block" ? literal.replace(/^"|"$/g, "") : literal);

export const rules: LanguageRules = {
  tokens: {
    frames: ["config_file", "body", "object"],
    comments: ["comment"],
    atoms: { string_lit: text, quoted_template: true, heredoc_template: true },
    leaves: ["identifier", "numeric_lit", "bool_lit", "null_lit"],
    optionalIn: { object: [","] },
    trailingCommaIn: ["tuple", "function_arguments", "collection_value"],
  },
  declarations: { block, attribute: value },
  imports: { block: moduleSource },
  calls: { at: { function_call: ["function_arguments", "("] } },
  behaviour: { branches: ["conditional", "for_tuple_expr", "for_object_expr", "for_cond"] },
};
