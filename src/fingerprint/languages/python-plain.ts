import { childText, fieldText, type PlainHandler, type PlainRules } from "../plain-structure.js";
import type { Syntax } from "../syntax.js";

/** Each definition at the top of a file is exported, whatever `__all__` and underscores say. */
const definition: PlainHandler = (draft, node) => {
  const { syntax } = draft;
  const name = fieldText(syntax, node, "name");
  if (name === undefined) return;
  if (syntax.typeOf(node) === "function_definition")
    draft.addFunction(node, name, paramNames(syntax, node), fieldText(syntax, node, "return_type"));
  else draft.addClass(node, name, ...members(syntax, node));
  draft.exports.push(name);
};

export const plain: PlainRules = {
  function_definition: definition,
  class_definition: definition,
  decorated_definition: (draft, node) => {
    const inner = withoutDecorators(draft.syntax, node);
    if (inner !== node) definition(draft, inner);
  },
  import_statement: (draft, node) => {
    const { syntax } = draft;
    for (const name of syntax.childrenOfType(node, "dotted_name"))
      draft.addImport(syntax.text(name), [syntax.text(name)]);
    for (const aliased of syntax.childrenOfType(node, "aliased_import")) {
      const name = childText(syntax, aliased, "dotted_name");
      if (name !== undefined) draft.addImport(name, [childText(syntax, aliased, "identifier") ?? name]);
    }
  },
  import_from_statement: (draft, node) => {
    const { syntax } = draft;
    const from = syntax.child(node, "module_name");
    const names = syntax.childrenOfType(node, "dotted_name").filter((name) => name !== from);
    const specifiers = names.map((name) => syntax.text(name));
    for (const aliased of syntax.childrenOfType(node, "aliased_import")) {
      const alias = childText(syntax, aliased, "identifier");
      if (alias !== undefined) specifiers.push(alias);
    }
    if (syntax.childOfType(node, "wildcard_import") !== undefined) specifiers.push("*");
    draft.addImport(from === undefined ? "" : syntax.text(from), specifiers);
  },
};

function withoutDecorators(syntax: Syntax, node: number): number {
  if (syntax.typeOf(node) !== "decorated_definition") return node;
  return syntax.childOfType(node, "function_definition") ?? syntax.childOfType(node, "class_definition") ?? node;
}

/** Without `self` and `cls`, the marks `*` and `/`, and `*args` that has a type. */
function paramNames(syntax: Syntax, node: number): string[] {
  const list = syntax.child(node, "parameters");
  const names: string[] = [];
  for (const param of list === undefined ? [] : syntax.children(list)) {
    const type = syntax.typeOf(param);
    const name = type === "identifier" ? syntax.text(param) : childText(syntax, param, "identifier");
    if (name === undefined) continue;
    if (type === "list_splat_pattern") names.push(`*${name}`);
    else if (type === "dictionary_splat_pattern") names.push(`**${name}`);
    else if (NAMED.has(type) && name !== "self" && name !== "cls") names.push(name);
  }
  return names;
}

const NAMED = new Set(["identifier", "typed_parameter", "default_parameter", "typed_default_parameter"]);

/** Of the properties only those with a type, at the class's own level. */
function members(syntax: Syntax, node: number): [methods: string[], properties: string[]] {
  const methods: string[] = [];
  const properties: string[] = [];
  const body = syntax.child(node, "body");
  for (const member of body === undefined ? [] : syntax.children(body)) {
    const inner = withoutDecorators(syntax, member);
    const name = syntax.typeOf(inner) === "function_definition" ? fieldText(syntax, inner, "name") : undefined;
    if (name !== undefined) methods.push(name);
    const isStatement = syntax.typeOf(member) === "expression_statement";
    const assignment = isStatement ? syntax.childOfType(member, "assignment") : undefined;
    if (assignment === undefined || syntax.childOfType(assignment, "type") === undefined) continue;
    const property = childText(syntax, assignment, "identifier");
    if (property !== undefined) properties.push(property);
  }
  return [methods, properties];
}
