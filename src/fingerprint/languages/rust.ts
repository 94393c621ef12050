import { alias, cls, fn, opaque, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";
import { plain } from "./rust-plain.js";

const isPub = (walk: Walk, node: number) => walk.syntax.childOfType(node, "visibility_modifier") !== undefined;

/** `pub(crate) ` before a name that is not public; nothing before one that is. */
function restriction({ syntax }: Walk, node: number): string {
  const modifier = syntax.childOfType(node, "visibility_modifier");
  const text = modifier === undefined ? "pub" : syntax.render(modifier);
  return text === "pub" ? "" : `${text} `;
}

/** `pub`, in any of its forms; what a trait lists is as visible as the trait. */
const visible = (walk: Walk, node: number, scope: Scope) =>
  scope.mode === "trait"
    ? scope.exported
    : isPub(walk, node) && (scope.prefix === "" || scope.owner?.exported !== false);

const isModule = (scope: Scope) => scope.owner === undefined || scope.owner.kind === "module";

const trait: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const bounds = syntax.child(node, "bounds");
  const body = syntax.child(node, "body");
  const inner = walk.addClass(node, scope, {
    name: syntax.render(name),
    kind: "trait",
    extends: bounds === undefined ? [] : syntax.namedChildren(bounds).map((one) => syntax.render(one)),
    cut: [name, bounds],
    body,
    exported: visible(walk, node, scope),
  });
  if (body !== undefined) walk.inside(body, { ...inner, mode: "trait" });
};

/** An impl block adds to its type, whether that is declared here or not. */
const implementation: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const type = syntax.child(node, "type");
  if (type === undefined) return;
  const base = syntax.typeOf(type) === "generic_type" ? (syntax.child(type, "type") ?? type) : type;
  const ofTrait = syntax.child(node, "trait");
  const body = syntax.child(node, "body");
  const declared = walk.classes.find((one) => one.name === scope.prefix + syntax.render(base));
  const inner = walk.addClass(node, scope, {
    name: syntax.render(base),
    kind: declared?.kind ?? "struct",
    implements: ofTrait === undefined ? [] : [syntax.render(ofTrait)],
    cut: [type, ofTrait],
    body,
    exported: declared?.exported ?? false,
  });
  const mode = ofTrait === undefined ? "impl" : "trait";
  if (body !== undefined) walk.inside(body, { ...inner, exported: true, mode });
};

const aliasItem = alias({ exported: visible });

/** `type A = …` of a trait or an impl is a member, anywhere else a name of its own. */
const typeItem: Handler = (walk, node, scope) =>
  isModule(scope) ? aliasItem(walk, node, scope) : walk.addProperty(node, scope);

const constant: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  if (!isModule(scope)) {
    walk.addProperty(node, scope);
    return;
  }
  const name = syntax.child(node, "name");
  const type = syntax.child(node, "type");
  if (name === undefined || !isPub(walk, node)) return;
  walk.addExport(scope, syntax.render(name));
  const text = type === undefined ? "" : syntax.render(type);
  walk.values.set(scope.prefix + syntax.render(name), restriction(walk, node) + text);
};

const macro: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const patterns = syntax.namedChildren(node).map((rule) => syntax.child(rule, "left"));
  walk.addFunction(node, scope, {
    name: `${syntax.render(name)}!`,
    params: patterns.filter((pattern) => pattern !== undefined).map((pattern) => syntax.render(pattern)),
    cut: [name, ...syntax.namedChildren(node)],
  });
};

const useItem: Handler = (walk, node, scope) => {
  if (!isPub(walk, node)) return;
  for (const { source, specifiers } of useDeclaration(walk.syntax, node)) {
    for (const name of specifiers) {
      const text = name === "*" ? `* from ${source}` : name.replace(/^.* as /, "");
      walk.addExport(scope, text);
      walk.values.set(`use ${scope.prefix}${text}`, restriction(walk, node));
    }
  }
};

/** `use std::{io::{self, Read as R}, fmt::*}` as one entry for each path. */
function useDeclaration(syntax: Syntax, node: number): ImportFingerprint[] {
  const argument = syntax.child(node, "argument");
  const found = new Map<string, string[]>();
  const add = (source: string, specifier: string) => {
    found.set(source, [...(found.get(source) ?? []), specifier]);
  };
  if (argument !== undefined) useTree(syntax, argument, "", add, 0);
  return [...found].map(([source, specifiers]) => ({ source, specifiers }));
}

function useTree(
  syntax: Syntax,
  node: number,
  prefix: string,
  add: (source: string, specifier: string) => void,
  depth: number,
): void {
  const path = syntax.child(node, "path");
  const list = syntax.child(node, "list") ?? (syntax.typeOf(node) === "use_list" ? node : undefined);
  const at = (text: string) => (prefix === "" ? text : `${prefix}::${text}`);
  if (list !== undefined && depth < 20) {
    const inner = path === undefined ? prefix : at(syntax.render(path));
    for (const child of syntax.namedChildren(list)) useTree(syntax, child, inner, add, depth + 1);
    return;
  }
  const given = syntax.child(node, "alias");
  const text = syntax.render(given === undefined || path === undefined ? node : path);
  const cut = text.lastIndexOf("::");
  const source = cut < 0 ? prefix : at(text.slice(0, cut));
  const name = cut < 0 ? text : text.slice(cut + 2);
  const specifier = given === undefined ? name : `${name} as ${syntax.render(given)}`;
  add(source === "" ? name : source, source === "" && given === undefined ? "self" : specifier);
}

/** `mod a;` pulls in a file of this crate. */
function modItem(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const name = syntax.child(node, "name");
  if (name === undefined || syntax.child(node, "body") !== undefined) return undefined;
  return { source: `self::${syntax.render(name)}`, specifiers: [] };
}

function externCrate(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const name = syntax.child(node, "name");
  return name === undefined ? undefined : { source: syntax.render(name), specifiers: [] };
}

const inlineModule = cls({ kind: "module", exported: visible });

/** A module in a file of its own is an import; `pub` makes it an export too. */
const module: Handler = (walk, node, scope) => {
  const name = walk.syntax.child(node, "name");
  if (walk.syntax.child(node, "body") !== undefined) inlineModule(walk, node, scope);
  else if (name !== undefined && isPub(walk, node)) {
    walk.addExport(scope, walk.syntax.render(name));
    walk.values.set(`mod ${scope.prefix}${walk.syntax.render(name)}`, restriction(walk, node));
  }
};

export const rules: LanguageRules = {
  tokens: {
    comments: ["line_comment", "block_comment"],
    atoms: { string_literal: true, raw_string_literal: true, char_literal: true },
    leaves: ["identifier", "field_identifier", "type_identifier", "primitive_type", "integer_literal", "self"],
    trailingCommaIn: [
      "arguments",
      "array_expression",
      "enum_variant_list",
      "field_declaration_list",
      "field_initializer_list",
      "match_block",
      "ordered_field_declaration_list",
      "parameters",
      "struct_pattern",
      "type_arguments",
      "type_parameters",
      "use_list",
      "where_clause",
    ],
  },
  plain,
  declarations: {
    function_item: fn({ exported: visible }),
    function_signature_item: fn({ exported: visible }),
    struct_item: cls({ kind: "struct", exported: visible }),
    union_item: cls({ kind: "struct", exported: visible }),
    enum_item: cls({ kind: "enum", exported: visible }),
    trait_item: trait,
    impl_item: implementation,
    type_item: typeItem,
    associated_type: property,
    const_item: constant,
    static_item: constant,
    field_declaration: property,
    ordered_field_declaration_list: property,
    enum_variant: property,
    mod_item: module,
    macro_definition: macro,
    use_declaration: useItem,
    closure_expression: opaque,
    macro_invocation: opaque,
  },
  leading: ["attribute_item"],
  calls: {
    at: { call_expression: ["arguments"], macro_invocation: ["token_tree"] },
    binds: { parameter: ["pattern"], let_declaration: ["pattern"], closure_parameters: ["identifier"] },
  },
  importStatements: ["use_declaration", "extern_crate_declaration"],
  behaviour: {
    branches: [
      "if_expression",
      "else_clause",
      "match_expression",
      "match_arm",
      "while_expression",
      "loop_expression",
      "for_expression",
      "let_condition",
    ],
    throws: ["try_expression"],
    throwingCalls: [
      "panic",
      "todo",
      "unimplemented",
      "unreachable",
      "assert",
      "assert_eq",
      "assert_ne",
      "bail",
      "ensure",
      "Err",
      "unwrap",
      "expect",
      "process.exit",
      "anyhow",
      "catch_unwind",
    ],
  },
  imports: { use_declaration: useDeclaration, mod_item: modItem, extern_crate_declaration: externCrate },
  elided: { const_item: ["value"], static_item: ["value"] },
  silent: {
    attribute_item: (syntax, node) =>
      /^#\[(allow|expect|warn|inline|cold|doc|rustfmt::skip)\b/.test(syntax.render(node)),
  },
  noise: ["fn", "struct", "enum", "trait", "impl", "for", "mod", "union", "type", "->", ";", "="],
};
