import { fn } from "../helpers.js";
import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";

/** `export X=1`, `readonly X`, `declare -x X`: names that outlive the line they stand on. */
const declaration: Handler = (walk, node, scope) => {
  const { syntax } = walk;
  for (const child of syntax.namedChildren(node)) {
    const name = syntax.typeOf(child) === "variable_assignment" ? syntax.child(child, "name") : child;
    if (name === undefined || syntax.typeOf(name) !== "variable_name") continue;
    walk.addExport(scope, syntax.render(name));
    walk.values.set(syntax.render(name), syntax.render(node).split(" ")[0] ?? "");
  }
};

/** `source ./lib.sh` and `. ./lib.sh` */
function sourced(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const name = syntax.child(node, "name");
  const file = syntax.child(node, "argument");
  if (name === undefined || file === undefined || !/^(source|\.)$/.test(syntax.render(name))) return undefined;
  return { source: syntax.render(file).replace(/^["']|["']$/g, ""), specifiers: [] };
}

/** Without anything that the shell would look at, both kinds of quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\$`!]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

export const rules: LanguageRules = {
  tokens: {
    frames: [
      "program",
      "compound_statement",
      "do_group",
      "subshell",
      "if_statement",
      "elif_clause",
      "else_clause",
      "case_item",
      "command",
      "concatenation",
      "redirected_statement",
      "pipeline",
      "list",
      "command_substitution",
      "process_substitution",
    ],
    comments: ["comment"],
    meaningful: (comment) => comment.startsWith("#!"),
    atoms: {
      string: quoted,
      raw_string: quoted,
      ansi_c_string: true,
      translated_string: true,
      heredoc_body: true,
      regex: true,
    },
    greedy: ["heredoc_body"],
    ownLine: ["command_name"], // behind `a=1 b=2`, the next line's command
    leaves: ["word", "variable_name", "number"],
    optional: [";"],
  },
  declarations: {
    function_definition: fn({ exported: () => true }),
    declaration_command: declaration,
  },
  calls: { at: { command: ["argument"] }, everyName: true, oneWord: true },
  importStatements: ["command"],
  behaviour: {
    branches: [
      "if_statement",
      "elif_clause",
      "else_clause",
      "while_statement",
      "for_statement",
      "c_style_for_statement",
      "case_statement",
      "case_item",
      "list",
    ],
    throwingCalls: ["exit", "return", "die"],
  },
  imports: { command: sourced },
  noise: ["function", "(", ")"],
};
