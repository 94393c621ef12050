import { paramsOf } from "../helpers.js";
import type { CallRules, Handler } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

const isHeader = (path: string) => /\.(h|hh|hpp|hxx|inl)$/i.test(path);

/** `static` hides from other files, except in a header, which becomes part of them. */
export function visible(walk: Walk, node: number, scope: Scope): boolean {
  if (scope.owner !== undefined) return scope.exported && (scope.mode ?? "public") === "public";
  if (scope.mode === "anonymous") return false;
  if (isHeader(walk.filePath)) return true;
  const { syntax } = walk;
  return !syntax
    .children(node)
    .some((child) => syntax.typeOf(child) === "storage_class_specifier" && syntax.render(child) === "static");
}

/** `*f(int a)` declares a function, `(*f)(int a)` a pointer to one. */
function functionDeclarator(syntax: Syntax, node: number | undefined): number | undefined {
  let at = node;
  while (at !== undefined) {
    const type = syntax.typeOf(at);
    const inner: number | undefined = syntax.child(at, "declarator");
    if (type === "operator_cast") return at;
    if (type === "function_declarator") {
      const isPointer = inner !== undefined && syntax.typeOf(inner) === "parenthesized_declarator";
      return isPointer ? functionInside(syntax, inner) : at;
    }
    if (!/^(pointer|reference|init|attributed)_declarator$/.test(type)) return undefined;
    at = inner ?? syntax.namedChildren(at).at(-1);
  }
  return undefined;
}

/** `int (*f(int a))(int)` is a function that gives back a pointer to a function. */
function functionInside(syntax: Syntax, parenthesized: number): number | undefined {
  const pointer = syntax.namedChildren(parenthesized)[0];
  const inner = pointer === undefined ? undefined : syntax.child(pointer, "declarator");
  return inner !== undefined && syntax.typeOf(inner) === "function_declarator" ? inner : undefined;
}

/** `a::C<T>::m` as `a.C.m`, the way members are named. */
const dotted = (text: string) => text.replace(/<[^<>]*>(?=::)/g, "").replaceAll("::", ".");

/** A function's definition or prototype. False if the node declares something else. */
export function addFunction(walk: Walk, node: number, scope: Scope): boolean {
  const { syntax } = walk;
  const declarator = functionDeclarator(syntax, syntax.child(node, "declarator"));
  if (declarator === undefined) return false;
  const isCast = syntax.typeOf(declarator) === "operator_cast";
  const name = isCast ? syntax.child(declarator, "type") : syntax.child(declarator, "declarator");
  if (name === undefined) return false;
  const params = syntax.child(declarator, "parameters");
  const returns = syntax.child(node, "type");
  const initialisers = syntax.childOfType(node, "field_initializer_list");
  const access = scope.owner === undefined ? "" : (scope.mode ?? "");
  const text = isCast ? `operator ${syntax.render(name)}` : dotted(syntax.render(name));
  // A member that is defined outside its class is no name of the file.
  const dot = text.lastIndexOf(".");
  const outside = { ...scope, prefix: scope.prefix + text.slice(0, dot + 1), isNamespace: false };
  walk.addFunction(node, dot < 0 ? scope : outside, {
    name: text.slice(dot + 1),
    params: paramsOf(syntax, params),
    returns,
    cut: [name, params, returns, initialisers],
    body: syntax.child(node, "body"),
    also: access === "public" ? "" : access,
    exported: visible(walk, node, scope),
  });
  return true;
}

export const functionDefinition: Handler = (walk, node, scope) => {
  if (!addFunction(walk, node, scope)) misread(walk, node, scope);
};

/**
 * A macro in front of a name makes the grammar take a class or a namespace for a function without parameters:
 * `class API C {…}`, `API_BEGIN namespace n {…}`. What they hold is declared all the same.
 */
function misread(walk: Walk, node: number, scope: Scope): void {
  const { syntax } = walk;
  const body = syntax.child(node, "body");
  if (body === undefined || walk.tooDeep(scope)) return;
  // A head is short; what is longer is text that the grammar cannot read.
  const head = syntax.render(node, new Set([body])).slice(-500);
  const [, kind, name] = /\b(class|struct|union|enum)\b[^:]*?(\w+)(?: final)?(?: ?:(?!:).*)?$/.exec(head) ?? [];
  if (kind !== undefined && name !== undefined) {
    const inner = walk.addClass(node, scope, {
      name,
      kind: kind === "union" ? "struct" : (kind as "class" | "struct" | "enum"),
      cut: [],
      body,
      exported: visible(walk, node, scope),
    });
    walk.inside(body, { ...inner, mode: kind === "class" ? "private" : "public" });
    return;
  }
  const namespace = /\bnamespace\W+([\w:]+)$/.exec(head)?.[1];
  const prefix = namespace === undefined ? scope.prefix : `${scope.prefix}${dotted(namespace)}.`;
  walk.inside(body, { prefix, exported: false, isNamespace: true, depth: scope.depth + 1, mode: scope.mode ?? "" });
}

/** `public:` in a class that was taken for a function is a label there. */
export const label: Handler = (walk, node, scope) => {
  const text = walk.syntax.render(walk.syntax.child(node, "label") ?? node);
  if (scope.owner !== undefined && /^(public|protected|private)$/.test(text)) scope.mode = text;
  walk.inside(node, scope);
};

/** In such a class a constructor's prototype is a call. */
export const statement: Handler = (walk, node, scope) => {
  if (scope.owner !== undefined) walk.addProperty(node, scope);
  else walk.inside(node, scope);
};

/** `struct S {…} a, *b;`, `extern int a;`, `int f(int);` */
export const declaration: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  if (scope.owner !== undefined) {
    field(walk, node, scope);
    return;
  }
  const type = syntax.child(node, "type");
  if (type !== undefined && syntax.child(type, "body") !== undefined) walk.visit(type, scope);
  if (addFunction(walk, node, scope)) return;
  if (!visible(walk, node, scope)) return;
  for (const declarator of syntax.childrenOf(node, "declarator")) {
    const inner = syntax.typeOf(declarator) === "init_declarator" ? syntax.child(declarator, "declarator") : declarator;
    const name = inner === undefined ? undefined : innermost(syntax, inner);
    if (name === undefined || inner === undefined || KEYWORDS.test(syntax.render(name))) continue;
    const shared = syntax.render(node, new Set(syntax.childrenOf(node, "declarator")), new Set([",", ";"]));
    walk.addExport(scope, syntax.render(name));
    walk.values.set(scope.prefix + syntax.render(name), `${shared} ${syntax.render(inner)}`);
  }
};

/** A statement between macros can look like a declaration. */
const KEYWORDS = /^(if|else|for|while|do|switch|case|return|goto|throw|try|catch|new|delete|struct|class|namespace)$/;

/** The name inside `*a[3]`. */
function innermost(syntax: Syntax, declarator: number): number | undefined {
  let at: number | undefined = declarator;
  while (at !== undefined && !syntax.isLeaf(at)) {
    at = syntax.child(at, "declarator") ?? syntax.namedChildren(at)[0];
  }
  return at;
}

/** `struct S {…}`; without a body it only names one. */
export function aggregate(kind: "struct" | "enum" | "class", parents: readonly string[] = []): Handler {
  return (walk, node, scope) => addAggregate(walk, node, scope, { kind, parents });
}

interface Aggregate {
  kind: "struct" | "enum" | "class";
  /** Node types that hold what it extends. */
  parents: readonly string[];
  /** The name that a typedef gives it, where it has none of its own. */
  given?: string;
}

function addAggregate(walk: Walk, node: number, scope: Scope, { kind, parents, given }: Aggregate): void {
  const { syntax } = walk;
  const body = syntax.child(node, "body");
  const name = syntax.child(node, "name");
  const text = name === undefined ? given : dotted(syntax.render(name));
  if (body === undefined || text === undefined || walk.tooDeep(scope)) return;
  const above = syntax.childOfType(node, ...parents);
  const bases =
    above === undefined
      ? []
      : syntax
          .render(above)
          .replace(/^: /, "")
          .split(/, (?![^<]*>)/);
  const inner = walk.addClass(node, scope, {
    name: text,
    kind,
    extends: bases,
    cut: [name, above],
    body,
    exported: visible(walk, node, scope),
  });
  walk.inside(body, { ...inner, mode: kind === "class" ? "private" : "public" });
}

/** `typedef struct {…} T;` names a struct, any other typedef is one text. */
export const typeDefinition: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const type = syntax.child(node, "type");
  const declarator = syntax.child(node, "declarator");
  const name = declarator === undefined ? undefined : innermost(syntax, declarator);
  if (type === undefined || name === undefined) return;
  if (syntax.child(type, "body") !== undefined) {
    const kind = syntax.typeOf(type) === "enum_specifier" ? "enum" : "struct";
    addAggregate(walk, type, { ...scope, outer: node }, { kind, parents: [], given: syntax.render(name) });
    return;
  }
  const exported = visible(walk, node, scope);
  const inner = walk.addClass(node, scope, {
    name: syntax.render(name),
    kind: "type",
    cut: [type, declarator],
    exported,
  });
  walk.addProperty(node, { ...inner, outer: node });
};

/** A member: a field, a nested type, in C++ also a method. */
export const field: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const type = syntax.child(node, "type");
  const isNested =
    type !== undefined && syntax.child(type, "body") !== undefined && syntax.child(type, "name") !== undefined;
  if (isNested) walk.visit(type, scope);
  if (addFunction(walk, node, scope)) return;
  if (isNested && syntax.child(node, "declarator") === undefined) return;
  const access = scope.mode === undefined || scope.mode === "public" ? "" : `${scope.mode} `;
  const text = syntax.render(node, isNested ? new Set([type]) : undefined).replace(/\s*=?;?$/, "");
  scope.owner?.properties.push(access + text);
};

/** A macro with parameters is a function to its users, any other a constant. */
export const macro: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  if (name === undefined) return;
  const text = syntax.render(name);
  const params = syntax.child(node, "parameters");
  const exported = isHeader(walk.filePath);
  const value = syntax.child(node, "value");
  if (params !== undefined) {
    walk.addFunction(node, scope, {
      name: text,
      params: paramsOf(syntax, params),
      cut: [name, params],
      body: value,
      exported,
    });
  } else if (exported) {
    walk.exports.add(text);
  }
};

/** White space in a macro's text means nothing, unless it is inside a string. */
export function macroText(text: string): string {
  const joined = text.replace(/\\\r?\n/g, " ").trim();
  return /["']/.test(joined) ? joined : joined.replace(/\s+/g, " ");
}

export function include(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const path = syntax.child(node, "path");
  return path === undefined ? undefined : { source: syntax.render(path).replace(/^"|"$/g, ""), specifiers: [] };
}

export const cCalls: CallRules = {
  at: { call_expression: ["arguments"], new_expression: ["arguments"] },
  binds: { parameter_declaration: ["declarator"], declaration: ["declarator"], init_declarator: ["declarator"] },
  everyName: true,
};

export const commonTokens = {
  lexer: { isC: true, interpolation: "", characters: true },
  frames: [
    "preproc_def",
    "preproc_function_def",
    "preproc_call",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "preproc_elifdef",
  ],
  comments: ["comment"],
  atoms: {
    string_literal: true,
    raw_string_literal: true,
    char_literal: true,
    system_lib_string: true,
    preproc_arg: macroText,
  },
  leaves: ["identifier", "field_identifier", "type_identifier", "number_literal", "primitive_type"],
  trailingCommaIn: ["enumerator_list", "initializer_list"],
} as const;

/** Nodes that branch or loop, in C and in C++. */
export const cBranches: readonly string[] = [
  ...["if_statement", "else_clause", "while_statement", "do_statement", "for_statement"],
  ...["switch_statement", "case_statement", "conditional_expression", "goto_statement"],
];

/** `addReplyError`, `luaL_error`, `err_set`, `serverAssert`: what a function of C does in the place of a throw. */
export const C_ERRORS = /error|(?:^|_)err(?:_|$)|fatal|panic|assert/i;
