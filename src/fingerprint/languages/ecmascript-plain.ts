import { childText, fieldText, type PlainDraft, type PlainHandler, type PlainRules } from "../plain-structure.js";
import type { Syntax } from "../syntax.js";

/** Only the top of a file and what is exported there; methods are in their classes' lists only. */
const declared: PlainRules = {
  function_declaration: (draft, node) => {
    const name = functionName(draft.syntax, node);
    if (name !== undefined) addFunction(draft, node, name, node);
  },
  class_declaration: (draft, node) => addClass(draft, node),
  abstract_class_declaration: (draft, node) => addClass(draft, node),
  lexical_declaration: (draft, node) => addFunctionValues(draft, node),
  variable_declaration: (draft, node) => addFunctionValues(draft, node),
};

const exportStatement: PlainHandler = (draft, node) => {
  const { syntax } = draft;
  const isDefault = syntax.childOfType(node, "default") !== undefined;
  draft.visitChildren(node, declared);
  draft.visitChildren(node, {
    function_declaration: (_, child) => addExport(draft, functionName(syntax, child) ?? (isDefault ? "default" : "")),
    class_declaration: (_, child) => exportClass(draft, child, isDefault),
    abstract_class_declaration: (_, child) => exportClass(draft, child, isDefault),
    lexical_declaration: (_, child) => exportVariables(draft, child),
    variable_declaration: (_, child) => exportVariables(draft, child),
    export_clause: (_, child) => {
      for (const specifier of syntax.childrenOfType(child, "export_specifier"))
        addExport(draft, boundName(syntax, specifier));
    },
  });
};

const importStatement: PlainHandler = (draft, node) => {
  const { syntax } = draft;
  const source = syntax.childOfType(node, "string");
  if (source === undefined) return;
  const specifiers: string[] = [];
  const clause = syntax.childOfType(node, "import_clause");
  for (const child of clause === undefined ? [] : syntax.children(clause)) {
    const type = syntax.typeOf(child);
    if (type === "identifier") specifiers.push(syntax.text(child));
    else if (type === "namespace_import") specifiers.push(`* as ${childText(syntax, child, "identifier") ?? ""}`);
    else if (type === "named_imports")
      for (const one of syntax.childrenOfType(child, "import_specifier")) specifiers.push(boundName(syntax, one));
  }
  draft.addImport(stringValue(syntax.text(source)), specifiers);
};

export const plain: PlainRules = { ...declared, export_statement: exportStatement, import_statement: importStatement };

function addFunction(draft: PlainDraft, holder: number, name: string, node: number): void {
  const { syntax } = draft;
  const returns = syntax.child(node, "return_type");
  const isType = returns !== undefined && syntax.typeOf(returns) === "type_annotation";
  const type = isType ? syntax.text(returns) : undefined;
  draft.addFunction(holder, name, paramNames(syntax, node), type?.startsWith(":") ? type.slice(1).trim() : type);
}

function functionName(syntax: Syntax, node: number): string | undefined {
  return fieldText(syntax, node, "name") ?? childText(syntax, node, "identifier");
}

/** Of TypeScript the pattern as it is written; of JavaScript only names without a default. `x => x` has none. */
function paramNames(syntax: Syntax, node: number): string[] {
  const list = syntax.child(node, "parameters") ?? syntax.childOfType(node, "formal_parameters");
  const names: string[] = [];
  for (const param of list === undefined ? [] : syntax.children(list)) {
    const type = syntax.typeOf(param);
    if (type === "identifier") names.push(syntax.text(param));
    else if (type === "required_parameter" || type === "optional_parameter") {
      const name = fieldText(syntax, param, "pattern") ?? functionName(syntax, param);
      if (name !== undefined) names.push(name);
    } else if (type === "rest_pattern") {
      const name = childText(syntax, param, "identifier");
      if (name !== undefined) names.push(`...${name}`);
    }
  }
  return names;
}

/** A member whose name is a string, computed or private is none. */
function addClass(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  const name = className(syntax, node);
  if (name === undefined) return;
  const methods: string[] = [];
  const properties: string[] = [];
  const body = syntax.childOfType(node, "class_body");
  for (const member of body === undefined ? [] : syntax.children(body)) {
    const type = syntax.typeOf(member);
    const isMethod = type === "method_definition" || type === "abstract_method_signature";
    if (!isMethod && type !== "public_field_definition") continue;
    const memberName = childText(syntax, member, "property_identifier");
    if (memberName !== undefined) (isMethod ? methods : properties).push(memberName);
  }
  draft.addClass(node, name, methods, properties);
}

function className(syntax: Syntax, node: number): string | undefined {
  return childText(syntax, node, "type_identifier", "identifier");
}

/** `const f = () => …`: the lines are those of the whole statement, also for the second of two. */
function addFunctionValues(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  for (const declarator of syntax.childrenOfType(node, "variable_declarator")) {
    const name = fieldText(syntax, declarator, "name");
    const value = syntax.child(declarator, "value");
    if (name === undefined || value === undefined) continue;
    if (["arrow_function", "function_expression"].includes(syntax.typeOf(value))) addFunction(draft, node, name, value);
  }
}

function exportVariables(draft: PlainDraft, node: number): void {
  const { syntax } = draft;
  for (const declarator of syntax.childrenOfType(node, "variable_declarator")) {
    addExport(draft, fieldText(syntax, declarator, "name") ?? "");
  }
}

/** A default class is exported as `default` only, a default function by its own name. */
function exportClass(draft: PlainDraft, node: number, isDefault: boolean): void {
  const name = className(draft.syntax, node);
  if (name === undefined || draft.exports.includes(name)) return;
  draft.exports.push(isDefault ? "default" : name);
}

function addExport(draft: PlainDraft, name: string): void {
  if (name !== "" && !draft.exports.includes(name)) draft.exports.push(name);
}

function boundName(syntax: Syntax, specifier: number): string {
  return fieldText(syntax, specifier, "alias") ?? fieldText(syntax, specifier, "name") ?? syntax.text(specifier);
}

/** The first part of a string without its escapes. */
function stringValue(text: string): string {
  const inner = text.slice(1, -1);
  return /^(?:\\[\s\S])*([^\\]+)/.exec(inner)?.[1] ?? inner;
}
