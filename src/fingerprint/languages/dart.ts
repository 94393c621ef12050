import { opaque, paramTexts, property } from "../helpers.js";
import { joinTokens } from "../render.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ClassKind, ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** A leading underscore keeps a name in its library. */
const isVisible = (scope: Scope, name: string) =>
  (scope.owner === undefined || scope.exported) && !name.startsWith("_");

const isList = (type: string) => type === "static_final_declaration_list" || type === "initialized_identifier_list";
const WORDS = new Set(["get", "set", "operator", "factory", "static", "external", "const_builtin", "augment"]);

/** `{required int z}` and `[String b =]` are parameters as well, each with its brackets. */
function paramsOf(syntax: Syntax, list: number | undefined): string[] {
  if (list === undefined) return [];
  return syntax.children(list).flatMap((child) => {
    if (!syntax.isNamed(child)) return [];
    if (syntax.typeOf(child) !== "optional_formal_parameters") return paramTexts(syntax, [child]);
    const [open, close] = syntax.childOfType(child, "{") === undefined ? ["[", "]"] : ["{", "}"];
    return paramTexts(syntax, syntax.children(child)).map((text) => `${open}${text}${close}`);
  });
}

interface SignatureParts {
  name: string;
  /** The nodes that make the name. */
  named: number[];
  params: number | undefined;
  /** The nodes that make the return type. */
  returns: number[];
}

/** A type has no node of its own: its parts stand before the name. */
function partsOf(syntax: Syntax, signature: number): SignatureParts {
  const children = syntax.children(signature);
  const params = syntax.childOfType(signature, "formal_parameter_list");
  const head = children.filter((child) => params === undefined || child < params);
  const operator = head.find((child) => syntax.typeOf(child) === "operator");
  const named = head.filter(
    (child) => (operator !== undefined && child >= operator) || syntax.typeOf(child) === "identifier",
  );
  const first = named[0] ?? signature;
  const returns = head.filter((child) => child < first && !WORDS.has(syntax.typeOf(child)));
  const last = named.at(-1);
  const name = operator === undefined ? (last === undefined ? "" : syntax.render(last)) : textOf(syntax, named);
  return { name, named, params, returns: /constructor/.test(syntax.typeOf(signature)) ? [] : returns };
}

const textOf = (syntax: Syntax, nodes: readonly number[]) => joinTokens(nodes.map((node) => syntax.render(node)));

/** `node` holds the signature, or is it; the body stands behind it. */
function addFunction(walk: Walk, node: number, signature: number, scope: Scope): void {
  const { syntax } = walk;
  const { name, named, params, returns } = partsOf(syntax, signature);
  if (name === "") return;
  const behind = syntax.nextOf(node);
  const hasBody = behind < syntax.count && syntax.typeOf(behind) === "function_body";
  walk.addFunction(node, scope, {
    name,
    params: paramsOf(syntax, params),
    returns,
    cut: [...named, params, ...returns, syntax.childOfType(node, "initializers")],
    bodyBehind: hasBody ? behind : undefined,
    exported: isVisible(scope, name),
  });
}

const isSignature = (syntax: Syntax, node: number) => syntax.typeOf(node).endsWith("_signature");

const functionSignature: Handler = (walk, node, scope) => addFunction(walk, node, node, scope);

/** A member: a function with its modifiers around it, or fields. */
const member: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const children = syntax.children(node);
  const signature = children.find((child) => isSignature(syntax, child));
  if (signature !== undefined) return addFunction(walk, node, signature, scope);
  const list = children.find((child) => isList(syntax.typeOf(child)));
  if (list === undefined) return walk.addProperty(node, scope);
  const shared = textOf(syntax, [...(scope.beside ?? []), ...children.slice(0, children.indexOf(list))]);
  for (const name of namesIn(syntax, list)) scope.owner?.properties.push(`${shared} ${name}`);
};

function namesIn(syntax: Syntax, list: number): string[] {
  return syntax.namedChildren(list).flatMap((one) => {
    const name = syntax.namedChildren(one)[0];
    return name === undefined ? [] : [syntax.render(name)];
  });
}

/** Variables of a library: the words before the list are its siblings. */
const variables: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  if (scope.owner !== undefined) return;
  const siblings = syntax.children(syntax.parentOf(node));
  const before = siblings.slice(0, siblings.indexOf(node));
  const end = before.findLastIndex((one) =>
    /^;$|_body$|_definition$|_declaration$|import|part|annotation/.test(syntax.typeOf(one)),
  );
  const type = textOf(syntax, [...(scope.beside ?? []), ...before.slice(end + 1)]);
  for (const name of namesIn(syntax, node)) {
    if (!isVisible(scope, name)) continue;
    walk.addExport(scope, name);
    walk.values.set(name, type);
  }
};

/** The types of a clause: each with its arguments, up to the next comma or the mixins. */
function typesIn(syntax: Syntax, clause: number | undefined): string[] {
  const types: string[][] = [];
  for (const child of clause === undefined ? [] : syntax.children(clause)) {
    const type = syntax.typeOf(child);
    if (type === "mixins") for (const one of typesIn(syntax, child)) types.push([one]);
    else if (type === "type_identifier" && types.at(-1)?.at(-1) !== ".") types.push([syntax.render(child)]);
    else if (syntax.isNamed(child) || type === ".") types.at(-1)?.push(syntax.render(child));
  }
  return types.map(joinTokens);
}

function classLike(kind: ClassKind): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    if (walk.tooDeep(scope)) return;
    const applied = syntax.childOfType(node, "mixin_application_class");
    const name = syntax.child(node, "name") ?? syntax.childOfType(applied ?? node, "identifier");
    const extended = syntax.child(node, "class");
    const text =
      name !== undefined ? syntax.render(name) : extended === undefined ? "" : `on ${syntax.render(extended)}`;
    if (text === "") return;
    const [above, promised] = [syntax.child(node, "superclass"), syntax.childOfType(node, "interfaces")];
    const body = syntax.childOfType(node, "class_body", "enum_body", "extension_body");
    const inner = walk.addClass(node, scope, {
      ...{ name: text, kind, extends: typesIn(syntax, above), implements: typesIn(syntax, promised) },
      ...{ cut: [name, above, promised], body, exported: isVisible(scope, text) },
    });
    if (body !== undefined) walk.inside(body, inner);
  };
}

/** `typedef F = void Function(int);` and `typedef void F(int a);` */
const typeAlias: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const children = syntax.children(node);
  const end = children.findIndex((child) => /^(=|formal_parameter_list|type_parameters)$/.test(syntax.typeOf(child)));
  const name = children.slice(0, end).findLast((child) => syntax.typeOf(child) === "type_identifier");
  if (name === undefined) return;
  const text = syntax.render(name);
  walk.addClass(node, scope, { name: text, kind: "type", cut: [name], exported: isVisible(scope, text) });
};

const uriOf = (syntax: Syntax, node: number) =>
  /^['"](.*)['"]$/s.exec(
    textOf(
      syntax,
      syntax.namedChildren(node).filter((one) => /uri/.test(syntax.typeOf(one))),
    ),
  )?.[1];

/** `import 'a.dart' as a show B hide C;`, and the same for `export`. */
function imported(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const inner = syntax.childOfType(node, "import_specification") ?? node;
  const source = uriOf(syntax, inner);
  if (source === undefined) return undefined;
  const alias = syntax.childOfType(inner, "identifier");
  const lists = syntax.children(inner).filter((child) => syntax.typeOf(child) === "combinator");
  const shown = lists.flatMap((list) => {
    const names = syntax.namedChildren(list).map((name) => syntax.render(name));
    return syntax.childOfType(list, "show") === undefined ? names.map((name) => `hide ${name}`) : names;
  });
  const isAll = shown.every((name) => name.startsWith("hide "));
  const whole = alias === undefined ? ["*"] : [`* as ${syntax.render(alias)}`];
  return { source, specifiers: isAll ? [...whole, ...shown] : shown };
}

function part(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const source = uriOf(syntax, node);
  return source === undefined ? undefined : { source, specifiers: ["*"] };
}

/** What a library passes on. */
const exported: Handler = (walk, node) => {
  const found = imported(walk.syntax, node);
  for (const name of found?.specifiers ?? []) walk.exports.add(`${name} from ${found?.source}`);
};

const library: Handler = (walk, node) => {
  walk.values.set("library", walk.syntax.render(node).replace(/^library ?|;$/g, ""));
};

/** Without escapes, interpolation and quotes inside, all quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\$\n]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

export const rules: LanguageRules = {
  tokens: {
    comments: ["comment", "documentation_comment"],
    atoms: { string_literal: quoted, symbol_literal: true, script_tag: true },
    leaves: [
      "identifier",
      "type_identifier",
      "decimal_integer_literal",
      "this",
      "super",
      "true",
      "false",
      "null_literal",
    ],
    trailingCommaIn: [
      ...["arguments", "formal_parameter_list", "optional_formal_parameters", "list_literal", "set_or_map_literal"],
      ...["enum_body", "switch_expression", "assertion_arguments"],
    ],
  },
  leading: ["annotation"],
  declarations: {
    library_name: library,
    library_export: exported,
    class_definition: classLike("class"),
    mixin_declaration: classLike("trait"),
    extension_declaration: classLike("class"),
    extension_type_declaration: classLike("class"),
    enum_declaration: classLike("enum"),
    type_alias: typeAlias,
    enum_constant: property,
    function_signature: functionSignature,
    getter_signature: functionSignature,
    setter_signature: functionSignature,
    method_signature: member,
    declaration: member,
    static_final_declaration_list: variables,
    initialized_identifier_list: variables,
    function_body: opaque,
  },
  importStatements: ["import_or_export", "part_directive", "part_of_directive"],
  imports: { library_import: imported, library_export: imported, part_directive: part, part_of_directive: part },
  calls: {
    at: { argument_part: [], new_expression: ["arguments"], const_object_expression: ["arguments"] },
    binds: { formal_parameter: ["name", "identifier"], initialized_variable_definition: ["name"] },
    everyName: true,
  },
  behaviour: {
    branches: [
      ...["if_statement", "for_statement", "while_statement", "do_statement", "conditional_expression"],
      ...["switch_statement", "switch_statement_case", "switch_statement_default", "switch_expression"],
      ...["switch_expression_case", "try_statement", "catch_clause", "finally_clause", "if_element", "for_element"],
    ],
    throws: ["throw_expression", "rethrow_expression", "catch_clause"],
    throwingCalls: ["exit", "Error.throwWithStackTrace"],
    comparisons: [
      "equality_operator",
      "logical_and_operator",
      "logical_or_operator",
      "negation_operator",
      "is_operator",
    ],
  },
  silent: { annotation: (syntax, node) => /^@(override|pragma)\b/.test(syntax.render(node)) },
  noise: ["class", "enum", "extension", "typedef", "mixin", ";"],
};
