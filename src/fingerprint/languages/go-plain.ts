import { fieldText, type PlainDraft, type PlainRules, textsOf } from "../plain-structure.js";
import type { Syntax } from "../syntax.js";

export const plain: PlainRules = {
  function_declaration: addFunction,
  method_declaration: (draft, node) => {
    const name = fieldText(draft.syntax, node, "name");
    const receiver = receiverType(draft.syntax, node);
    if (name !== undefined && receiver !== undefined) draft.addMethod(receiver, name);
    addFunction(draft, node);
  },
  type_declaration: addType,
  import_declaration: (draft, node) => {
    const { syntax } = draft;
    const list = syntax.childOfType(node, "import_spec_list");
    const specs = syntax.childrenOfType(list ?? node, "import_spec");
    for (const spec of list === undefined ? specs.slice(0, 1) : specs) {
      const source = fieldText(syntax, spec, "path")?.replace(/^"|"$/g, "");
      if (source === undefined) continue;
      draft.addImport(source, [fieldText(syntax, spec, "name") ?? source.slice(source.lastIndexOf("/") + 1)]);
    }
  },
};

function addFunction(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  const name = fieldText(syntax, node, "name");
  if (name === undefined) return;
  const list = syntax.child(node, "parameters");
  // A variadic parameter is of another type, and left out.
  const params = list === undefined ? [] : syntax.childrenOfType(list, "parameter_declaration");
  const names = params.flatMap((param) => syntax.childrenOfType(param, "identifier").map((one) => syntax.text(one)));
  draft.addFunction(node, name, names, fieldText(syntax, node, "result"));
  addExport(draft, name);
}

/** A generic receiver, `Stack[T]`, is none. */
function receiverType(syntax: Syntax, node: number): string | undefined {
  const receiver = syntax.child(node, "receiver");
  const param = receiver === undefined ? undefined : syntax.childOfType(receiver, "parameter_declaration");
  for (const part of param === undefined ? [] : syntax.children(param)) {
    const type = syntax.typeOf(part);
    if (type === "type_identifier") return syntax.text(part);
    const pointed = type === "pointer_type" ? syntax.childOfType(part, "type_identifier") : undefined;
    if (pointed !== undefined) return syntax.text(pointed);
  }
  return undefined;
}

/** Of `type ( … )` only the first. */
function addType(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  const spec = syntax.childOfType(node, "type_spec");
  const name = spec === undefined ? undefined : fieldText(syntax, spec, "name");
  const type = spec === undefined ? undefined : syntax.child(spec, "type");
  if (name === undefined || type === undefined) return;
  const kind = syntax.typeOf(type);
  if (kind === "struct_type") draft.addClass(node, name, [], fieldNames(syntax, type));
  else if (kind === "interface_type") draft.addClass(node, name, interfaceMethods(syntax, type), []);
  else return;
  addExport(draft, name);
}

function fieldNames(syntax: Syntax, struct: number): string[] {
  const list = syntax.childOfType(struct, "field_declaration_list");
  const fields = list === undefined ? [] : syntax.childrenOfType(list, "field_declaration");
  return fields.flatMap((field) => syntax.childrenOfType(field, "field_identifier").map((name) => syntax.text(name)));
}

function interfaceMethods(syntax: Syntax, type: number): string[] {
  return textsOf(syntax, syntax.childrenOfType(type, "method_elem"), (_, method) => fieldText(syntax, method, "name"));
}

function addExport(draft: PlainDraft, name: string): void {
  if (/^[A-Z]/.test(name)) draft.exports.push(name);
}
