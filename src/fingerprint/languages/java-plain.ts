import { childText, fieldText, type PlainDraft, type PlainRules, textsOf } from "../plain-structure.js";
import type { Syntax } from "../syntax.js";

/** Types at the top of a file; those inside of them are left out. */
export const plain: PlainRules = {
  class_declaration: addClass,
  enum_declaration: addClass,
  record_declaration: addClass,
  interface_declaration: (draft, node) => {
    const { syntax } = draft;
    const name = fieldText(syntax, node, "name");
    const body = syntax.child(node, "body");
    if (name === undefined) return;
    const members = (type: string) => (body === undefined ? [] : syntax.childrenOfType(body, type));
    const properties = members("constant_declaration").flatMap((constant) => variableNames(syntax, constant));
    draft.addClass(node, name, textsOf(syntax, members("method_declaration"), ownName), properties);
    addExport(draft, node, name);
  },
  import_declaration: (draft, node) => {
    const { syntax } = draft;
    const path = childText(syntax, node, "scoped_identifier");
    if (path === undefined) return;
    const isWildcard = syntax.childOfType(node, "asterisk") !== undefined;
    draft.addImport(path, [isWildcard ? "*" : path.slice(path.lastIndexOf(".") + 1)]);
  },
};

function addClass(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  const name = ownName(syntax, node);
  if (name === undefined) return;
  const methods: string[] = [];
  const properties: string[] = [];
  const addMethod = (_: PlainDraft, member: number) => {
    const method = ownName(syntax, member);
    if (method === undefined) return;
    methods.push(method);
    draft.addFunction(member, method, paramNames(syntax, member), fieldText(syntax, member, "type"));
    addExport(draft, member, method);
  };
  const members: PlainRules = {
    method_declaration: addMethod,
    constructor_declaration: addMethod,
    field_declaration: (_, member) => {
      for (const field of variableNames(syntax, member)) {
        properties.push(field);
        addExport(draft, member, field);
      }
    },
    enum_body_declarations: (_, inner) => draft.visitChildren(inner, members),
  };
  const body = syntax.child(node, "body");
  if (body !== undefined) draft.visitChildren(body, members);
  draft.addClass(node, name, methods, properties);
  addExport(draft, node, name);
}

const ownName = (syntax: Syntax, node: number) => fieldText(syntax, node, "name");

/** A variable number of arguments has its name elsewhere, and is left out. */
function paramNames(syntax: Syntax, node: number): string[] {
  const list = syntax.child(node, "parameters");
  return list === undefined ? [] : textsOf(syntax, syntax.childrenOfType(list, "formal_parameter"), ownName);
}

function variableNames(syntax: Syntax, declaration: number): string[] {
  return textsOf(syntax, syntax.childrenOfType(declaration, "variable_declarator"), ownName);
}

function addExport(draft: PlainDraft, node: number, name: string): void {
  const { syntax } = draft;
  const modifiers = syntax.childOfType(node, "modifiers");
  const isPublic = modifiers !== undefined && syntax.children(modifiers).some((one) => syntax.text(one) === "public");
  if (isPublic) draft.exports.push(name);
}
