import { childText, fieldText, type PlainDraft, type PlainRules, textsOf } from "../plain-structure.js";
import type { Syntax } from "../syntax.js";

/** Only the top of a file and of its `impl` blocks; nothing in modules and macros. */
export const plain: PlainRules = {
  function_item: (draft, node) => addFunction(draft, node),
  impl_item: (draft, node) => {
    const { syntax } = draft;
    const type = fieldText(syntax, node, "type");
    const body = syntax.child(node, "body");
    for (const item of body === undefined ? [] : syntax.childrenOfType(body, "function_item")) {
      const name = fieldText(syntax, item, "name");
      if (name !== undefined && type !== undefined) draft.addMethod(type, name);
      addFunction(draft, item);
    }
  },
  struct_item: (draft, node) => addClass(draft, node, [], parts(draft.syntax, node, "field_declaration", fieldName)),
  enum_item: (draft, node) => addClass(draft, node, [], parts(draft.syntax, node, "enum_variant", ownName)),
  trait_item: (draft, node) => {
    const { syntax } = draft;
    const body = syntax.childOfType(node, "declaration_list");
    const items = (type: string) => (body === undefined ? [] : syntax.childrenOfType(body, type));
    const promised = textsOf(syntax, items("function_signature_item"), (_, item) =>
      childText(syntax, item, "identifier"),
    );
    addClass(draft, node, [...promised, ...textsOf(syntax, items("function_item"), ownName)], []);
  },
  use_declaration: (draft, node) => {
    const argument = draft.syntax.child(node, "argument");
    if (argument !== undefined) addImport(draft, argument);
  },
};

function addFunction(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  const name = ownName(syntax, node);
  if (name === undefined) return;
  const list = syntax.child(node, "parameters");
  const params = list === undefined ? [] : syntax.childrenOfType(list, "parameter");
  const names = textsOf(syntax, params, (_, param) => fieldText(syntax, param, "pattern"));
  draft.addFunction(node, name, names, fieldText(syntax, node, "return_type"));
  addExport(draft, node, name);
}

function addClass(draft: PlainDraft, node: number, methods: string[], properties: string[]): void {
  const name = ownName(draft.syntax, node);
  if (name === undefined) return;
  draft.addClass(node, name, methods, properties);
  addExport(draft, node, name);
}

const ownName = (syntax: Syntax, node: number) => fieldText(syntax, node, "name");
const fieldName = (syntax: Syntax, node: number) => childText(syntax, node, "field_identifier");

function parts(syntax: Syntax, node: number, type: string, nameOf: typeof ownName): string[] {
  const body = syntax.child(node, "body");
  return body === undefined ? [] : textsOf(syntax, syntax.childrenOfType(body, type), nameOf);
}

function addExport(draft: PlainDraft, node: number, name: string): void {
  if (childText(draft.syntax, node, "visibility_modifier")?.startsWith("pub")) draft.exports.push(name);
}

function addImport(draft: PlainDraft, argument: number): void {
  const { syntax } = draft;
  const whole = syntax.text(argument);
  switch (syntax.typeOf(argument)) {
    case "scoped_identifier":
      draft.addImport(fieldText(syntax, argument, "path") ?? "", [fieldText(syntax, argument, "name") ?? ""]);
      break;
    case "scoped_use_list": {
      const list = syntax.child(argument, "list");
      const members = list === undefined ? [] : syntax.children(list);
      const named = members.filter((member) => LISTED.has(syntax.typeOf(member)));
      const specifiers = named.map((member) => syntax.text(member));
      draft.addImport(fieldText(syntax, argument, "path") ?? "", specifiers);
      break;
    }
    case "use_wildcard":
      draft.addImport(childText(syntax, argument, "scoped_identifier") ?? "", ["*"]);
      break;
    default:
      draft.addImport(whole, [whole]);
  }
}

/** Of a list's members those that are not renamed, and no lists themselves. */
const LISTED = new Set(["self", "identifier", "scoped_identifier"]);
