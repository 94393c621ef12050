import { cls, fn, hasModifier, opaque, property } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";
import type { Scope, Walk } from "../walk.js";

/** Public is the default. */
const visible = (walk: Walk, node: number, scope: Scope) =>
  (scope.owner === undefined || scope.exported) && !hasModifier(walk.syntax, node, "private", "protected");

const namespace: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  const name = syntax.child(node, "name");
  const before = walk.values.get("namespace");
  const text = name === undefined ? "" : syntax.render(name);
  walk.values.set("namespace", before === undefined ? text : `${before}, ${text}`);
  walk.inside(node, scope);
};

/** `private ?int $a = 1, $b;` gives one entry for each name. */
function elements(type: string): Handler {
  return (walk, node, scope) => {
    const { syntax } = walk;
    const all = syntax.namedChildren(node).filter((child) => syntax.typeOf(child) === type);
    const shared = syntax.render(node, new Set(all), new Set([",", ";"]));
    for (const element of all) {
      const name = syntax.namedChildren(element)[0];
      const text = name === undefined ? "" : syntax.render(name);
      if (scope.owner !== undefined) scope.owner.properties.push(`${shared} ${text}`);
      else {
        walk.addExport(scope, text);
        walk.values.set(text, "");
      }
    }
  };
}

/** `use X\Y as Z;`, `use X\{A, B};` */
function useDeclaration(syntax: Syntax, node: number): ImportFingerprint[] {
  const group = syntax.childOfType(node, "namespace_use_group");
  const prefix = group === undefined ? "" : `${syntax.render(syntax.namedChildren(node)[0] ?? node)}\\`;
  return syntax.namedChildren(group ?? node).flatMap((clause) => {
    if (syntax.typeOf(clause) !== "namespace_use_clause") return [];
    const alias = syntax.child(clause, "alias");
    const name = syntax.namedChildren(clause)[0];
    if (name === undefined) return [];
    const specifiers = alias === undefined ? [] : [`* as ${syntax.render(alias)}`];
    return [{ source: prefix + syntax.render(name), specifiers }];
  });
}

/** `require __DIR__ . '/x.php'`: the literal part says which file. */
function inclusion(syntax: Syntax, node: number): ImportFingerprint | undefined {
  for (let at = node + 1; at < syntax.nextOf(node); at++) {
    if (/^(encapsed_)?string$/.test(syntax.typeOf(at)))
      return { source: syntax.render(at).slice(1, -1), specifiers: [] };
  }
  return undefined;
}

/** Without escapes, variables and quotes inside, both kinds of quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\$]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

const heritage = { extends: ["base_clause"], implements: ["class_interface_clause"] };
const method = fn({ exported: visible });

export const rules: LanguageRules = {
  tokens: {
    comments: ["comment"],
    atoms: {
      string: quoted,
      encapsed_string: quoted,
      heredoc: true,
      nowdoc: true,
      shell_command_expression: true,
      text: true,
    },
    leaves: ["name", "integer"],
    trailingCommaIn: ["arguments", "array_creation_expression", "formal_parameters", "namespace_use_group"],
  },
  declarations: {
    namespace_definition: namespace,
    class_declaration: cls({ kind: "class", ...heritage, exported: () => true }),
    interface_declaration: cls({ kind: "interface", ...heritage, exported: () => true }),
    trait_declaration: cls({ kind: "trait", exported: () => true }),
    enum_declaration: cls({ kind: "enum", ...heritage, exported: () => true }),
    function_definition: fn({ exported: () => true }),
    method_declaration: method,
    property_declaration: elements("property_element"),
    const_declaration: elements("const_element"),
    use_declaration: property,
    enum_case: property,
    anonymous_function: opaque,
    arrow_function: opaque,
    object_creation_expression: opaque,
  },
  calls: {
    at: {
      function_call_expression: ["arguments"],
      member_call_expression: ["arguments"],
      scoped_call_expression: ["arguments"],
      object_creation_expression: ["arguments"],
    },
    everyName: true,
  },
  importStatements: ["namespace_use_declaration"],
  behaviour: {
    branches: [
      "if_statement",
      "else_clause",
      "else_if_clause",
      "while_statement",
      "do_statement",
      "for_statement",
      "foreach_statement",
      "switch_statement",
      "case_statement",
      "match_expression",
      "match_conditional_expression",
      "conditional_expression",
      "try_statement",
      "catch_clause",
      "finally_clause",
      "goto_statement",
    ],
    throws: ["throw_expression", "exit_statement", "catch_clause", "error_suppression_expression"],
    throwingCalls: ["die", "exit", "trigger_error", "abort"],
  },
  imports: {
    namespace_use_declaration: useDeclaration,
    include_expression: inclusion,
    include_once_expression: inclusion,
    require_expression: inclusion,
    require_once_expression: inclusion,
  },
  noise: ["function", "class", "interface", "trait", "enum", ":", ";"],
};
