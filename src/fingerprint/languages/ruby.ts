import { cls, fn, opaque } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

const isPublic = (scope: Scope) =>
  scope.mode === undefined || scope.mode === "public" || scope.mode === "module_function";

const method = fn({
  exported: (_walk, _node, scope) => isPublic(scope),
  also: (scope) => (isPublic(scope) ? "" : (scope.mode ?? "")),
});

/** `private` on its own holds for the methods that follow it. */
const modeWord: Handler = (walk, node, scope) => {
  const word = walk.syntax.render(node);
  if (/^(private|protected|public|module_function)$/.test(word)) scope.mode = word;
};

const argumentsOf = (syntax: Syntax, call: number) => {
  const list = syntax.child(call, "arguments");
  return list === undefined ? [] : syntax.namedChildren(list);
};

const nameOf = (syntax: Syntax, call: number) => {
  const name = syntax.child(call, "method");
  return name === undefined || syntax.child(call, "receiver") !== undefined ? "" : syntax.render(name);
};

/** A call in the body of a class declares something: `include`, `attr_reader`, `private :x`, and every macro of a framework. */
const call: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = nameOf(syntax, node);
  const args = argumentsOf(syntax, node);
  if (name === "define_method") defineMethod(walk, node, scope, args);
  else if (/^(private|protected|public|module_function|private_class_method)$/.test(name))
    setVisibility(walk, scope, name, args);
  else if (scope.owner === undefined) return;
  else if (/^(include|extend|prepend)$/.test(name)) {
    const prefix = name === "include" ? "" : `${name} `;
    for (const arg of args) scope.owner.implements.push(prefix + syntax.render(arg));
  } else if (/^(attr|attr_\w+)$/.test(name)) {
    for (const arg of args) scope.owner.properties.push(`${name} ${syntax.render(arg)}`);
  } else if (name !== "" && args.some((arg) => syntax.typeOf(arg) === "simple_symbol")) {
    const block = syntax.child(node, "block");
    walk.addProperty(node, scope, block === undefined ? undefined : new Set([block]));
  }
};

/** `private def x` or `private :x, :y` */
function setVisibility(walk: Walk, scope: Scope, word: string, args: readonly number[]): void {
  const { syntax } = walk;
  for (const arg of args) {
    if (!/symbol|string/.test(syntax.typeOf(arg))) {
      walk.visit(arg, { ...scope, mode: word });
      continue;
    }
    const name = scope.prefix + syntax.render(arg).replace(/^:|"/g, "");
    for (const draft of walk.functions.filter((one) => one.name === name)) {
      draft.exported = word === "public" || word === "module_function";
      draft.signature = `${word} ${draft.signature}`.trim();
    }
  }
}

function defineMethod(walk: Walk, node: number, scope: Scope, args: readonly number[]): void {
  const { syntax } = walk;
  const [name] = args;
  const block = syntax.child(node, "block");
  if (name === undefined) return;
  const params = block === undefined ? undefined : syntax.child(block, "parameters");
  walk.addFunction(node, scope, {
    name: syntax.render(name).replace(/^:/, ""),
    params: params === undefined ? [] : syntax.namedChildren(params).map((param) => syntax.render(param)),
    cut: [name],
    body: block,
    exported: isPublic(scope),
  });
}

/** Constants are visible; `Point = Struct.new(:x) do … end` is a class. */
const assignment: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const left = syntax.child(node, "left");
  const right = syntax.child(node, "right");
  if (left === undefined || syntax.typeOf(left) !== "constant") return;
  const text = syntax.render(left);
  const block = right === undefined ? undefined : syntax.child(right, "block");
  if (right !== undefined && /^(Struct\.new|Class\.new|Data\.define)\b/.test(syntax.render(right))) {
    const inner = walk.addClass(node, scope, { name: text, kind: "class", cut: [left], body: block, exported: true });
    if (block !== undefined) walk.inside(block, inner);
  } else if (scope.owner !== undefined) scope.owner.properties.push(text);
  else {
    walk.addExport(scope, text);
    walk.values.set(text, "");
  }
};

const singletonClass: Handler = (walk, node, scope) => {
  const body = walk.syntax.child(node, "body");
  if (body !== undefined) walk.inside(body, { ...scope, mode: "public" });
};

function requireCall(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const name = nameOf(syntax, node);
  if (!/^(require|require_relative|load|autoload)$/.test(name)) return undefined;
  const literal = argumentsOf(syntax, node).find((arg) => syntax.typeOf(arg) === "string");
  if (literal === undefined) return undefined;
  const text = syntax.render(literal).slice(1, -1);
  return { source: name === "require_relative" ? `./${text}` : text, specifiers: [] };
}

const alias: Handler = (walk, node, scope) => walk.addProperty(node, scope);

/** Without escapes, interpolation and quotes inside, both kinds of quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\#]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

export const rules: LanguageRules = {
  tokens: {
    frames: [
      "program",
      "body_statement",
      "block_body",
      "then",
      "do",
      "else",
      "ensure",
      "rescue",
      "begin",
      "when",
      "in_clause",
      "begin_block",
      "end_block",
      "parenthesized_statements",
      "argument_list",
      "method_parameters",
    ],
    comments: ["comment"],
    meaningful: (comment) => /^#.*\b(frozen_string_literal|encoding|coding|typed):/.test(comment),
    atoms: { string: quoted, heredoc_body: true, regex: true, subshell: true, delimited_symbol: true },
    leaves: ["constant", "identifier", "instance_variable", "integer", "simple_symbol"],
    optional: [";"],
    optionalIn: { argument_list: ["(", ")"], method_parameters: ["(", ")"] },
    trailingCommaIn: ["array", "hash", "argument_list"],
  },
  declarations: {
    module: cls({ kind: "module", exported: () => true }),
    class: cls({ kind: "class", extends: ["superclass"], exported: () => true }),
    singleton_class: singletonClass,
    method,
    singleton_method: method,
    call,
    identifier: modeWord,
    assignment,
    alias,
    block: opaque,
    do_block: opaque,
    lambda: opaque,
  },
  importStatements: ["call"],
  behaviour: {
    branches: [
      "if",
      "unless",
      "elsif",
      "else",
      "case",
      "case_match",
      "when",
      "in_clause",
      "while",
      "until",
      "for",
      "conditional",
      "if_modifier",
      "unless_modifier",
      "while_modifier",
      "until_modifier",
      "rescue",
      "rescue_modifier",
      "ensure",
    ],
    throws: ["retry", "rescue", "rescue_modifier"],
    throwingCalls: ["raise", "fail", "abort", "exit", "throw"],
  },
  imports: { call: requireCall },
  calls: { at: { call: ["arguments", "block"] }, everyName: true },
  elided: { optional_parameter: ["value"], keyword_parameter: ["value"] },
  noise: ["def", "class", "module", "end", ";", "="],
};
