import { fn, opaque, paramsOf, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";
import { plain } from "./go-plain.js";

const isCapital = (name: string) => /^\p{Lu}/u.test(name);

/** A member is visible if all the names on the way to it begin with a capital. */
const visible = (_walk: Walk, _node: number, scope: Scope, name: string) =>
  (scope.prefix === "" || scope.exported) && isCapital(name);

/** `func (s *S) M()` is S.M. Whether the receiver is a pointer counts; what it is called does not. */
const method: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const receiver = syntax.child(node, "receiver");
  if (name === undefined || receiver === undefined) return;
  const type = /(\*?)\s*([\p{L}\p{N}_]+)(\[.*\])?\)$/u.exec(syntax.render(receiver));
  const owner = type?.[2] ?? "";
  const params = syntax.child(node, "parameters");
  const returns = syntax.child(node, "result");
  const text = syntax.render(name);
  walk.addFunction(
    node,
    { ...scope, prefix: `${owner}.` },
    {
      name: text,
      params: paramsOf(syntax, params),
      returns,
      cut: [name, receiver, params, returns],
      body: syntax.child(node, "body"),
      also: type?.[1] ?? "",
      exported: isCapital(owner) && isCapital(text),
    },
  );
};

const typeSpec: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const type = syntax.child(node, "type");
  if (name === undefined || type === undefined) return;
  const kinds = { struct_type: "struct", interface_type: "interface" } as const;
  const what = syntax.typeOf(type);
  const kind = what === "struct_type" || what === "interface_type" ? kinds[what] : "type";
  const inner = walk.addClass(node, scope, {
    name: syntax.render(name),
    kind,
    cut: [name],
    body: type,
    exported: isCapital(syntax.render(name)),
  });
  // `type A = B` is B itself; `type A B` is another type.
  if (syntax.typeOf(node) === "type_alias") inner.owner?.properties.push(`= ${syntax.render(type)}`);
  else if (kind === "type") walk.addProperty(type, inner);
  else walk.inside(type, inner);
};

/** `var A, B int = 1, 2`: each name with the type they share; `var F = func(…) {…}` is a function. */
const values: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const type = syntax.child(node, "type");
  const value = syntax.child(node, "value");
  const names = syntax.childrenOf(node, "name").filter((name) => syntax.isNamed(name));
  const literal = value === undefined ? undefined : syntax.namedChildren(value)[0];
  if (names.length === 1 && literal !== undefined && syntax.typeOf(literal) === "func_literal") {
    functionValue(walk, node, literal, scope, syntax.render(names[0] ?? node));
    return;
  }
  for (const name of names.map((one) => syntax.render(one)).filter(isCapital)) {
    walk.addExport(scope, name);
    walk.values.set(name, type === undefined ? "" : syntax.render(type));
  }
};

function functionValue(walk: Walk, node: number, literal: number, scope: Scope, name: string): void {
  const { syntax } = walk;
  const params = syntax.child(literal, "parameters");
  const returns = syntax.child(literal, "result");
  walk.addFunction(node, scope, {
    name,
    params: paramsOf(syntax, params),
    returns,
    cut: [params, returns],
    body: syntax.child(literal, "body"),
    signatureOf: literal,
    exported: isCapital(name),
  });
}

/** `type A struct {…}` belongs to A as a whole; in `type ( A …; B … )` each has its own part. */
const declarationOf: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const [only] = syntax.namedChildren(node);
  const hasBrackets = syntax.childOfType(node, "(") !== undefined;
  const isOne = only !== undefined && !hasBrackets && syntax.typeOf(only) !== "var_spec_list";
  walk.inside(node, isOne ? { ...scope, outer: node } : scope);
};

const packageClause: Handler = (walk, node) => {
  walk.values.set("package", walk.syntax.render(node).replace(/^package /, ""));
};

function importSpec(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const path = syntax.child(node, "path");
  if (path === undefined) return undefined;
  const name = syntax.child(node, "name");
  const alias = name === undefined ? "" : syntax.render(name);
  const specifiers = alias === "" ? [] : [alias === "." ? "*" : `* as ${alias}`];
  return { source: syntax.render(path).slice(1, -1), specifiers };
}

/** Methods stand outside their type; where both are in one file, the type lists them. */
const finish: Handler = (walk) => {
  for (const type of walk.classes) {
    for (const { name } of walk.functions) {
      const member = name.startsWith(`${type.name}.`) ? name.slice(type.name.length + 1) : undefined;
      if (member !== undefined && !type.methods.includes(member)) type.methods.push(member);
    }
  }
};

/** Directives are comments to the grammar but not to the compiler; with cgo, C code is in comments too. */
const isDirective = (comment: string, source: string) =>
  /^\/\/(go:|export |\s*\+build )/.test(comment) || source.includes('import "C"');

export const rules: LanguageRules = {
  tokens: {
    frames: [
      "source_file",
      "block",
      "statement_list",
      "expression_case",
      "default_case",
      "type_case",
      "communication_case",
      "field_declaration_list",
      "interface_type",
      "var_spec_list",
      "const_declaration",
      "var_declaration",
      "type_declaration",
    ],
    comments: ["comment"],
    meaningful: isDirective,
    atoms: { interpreted_string_literal: true, raw_string_literal: true, rune_literal: true },
    leaves: [
      "identifier",
      "field_identifier",
      "type_identifier",
      "package_identifier",
      "int_literal",
      "nil",
      "true",
      "false",
    ],
    optional: [";"],
    keptIn: ["for_clause"],
    trailingCommaIn: ["argument_list", "literal_value", "parameter_list", "type_arguments", "type_parameter_list"],
  },
  plain,
  declarations: {
    package_clause: packageClause,
    function_declaration: fn({ returns: "result", exported: visible }),
    method_declaration: method,
    type_declaration: declarationOf,
    var_declaration: declarationOf,
    const_declaration: declarationOf,
    type_spec: typeSpec,
    type_alias: typeSpec,
    const_spec: values,
    var_spec: values,
    field_declaration: property,
    method_elem: fn({ returns: "result", exported: visible }),
    type_elem: property,
    func_literal: opaque,
  },
  importStatements: ["import_declaration"],
  behaviour: {
    branches: [
      "if_statement",
      "for_statement",
      "expression_switch_statement",
      "type_switch_statement",
      "select_statement",
      "expression_case",
      "type_case",
      "default_case",
      "communication_case",
      "goto_statement",
    ],
    throwingCalls: [
      "panic",
      "errors.New",
      "fmt.Errorf",
      "errors.Errorf",
      "errors.Wrap",
      "errors.Wrapf",
      "recover",
      "os.Exit",
      "Fatal",
      "Fatalf",
      "Fatalln",
      "log.Panic",
      "log.Panicf",
    ],
  },
  imports: { import_spec: importSpec },
  calls: {
    at: { call_expression: ["arguments"] },
    binds: {
      parameter_declaration: ["name"],
      short_var_declaration: ["left"],
      var_spec: ["name"],
      range_clause: ["left"],
    },
    everyName: true,
  },
  noise: ["func", "type", "=", "struct", "interface"],
  finish,
};
