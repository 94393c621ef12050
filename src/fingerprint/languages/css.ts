import type { Handler, LanguageRules } from "../rules.js";
import type { Syntax } from "../syntax.js";
import type { ImportFingerprint } from "../types.js";

/** Names that other files use: `.button`, `#menu`, `--space`, `@keyframes spin`. */
function named(mark: string): Handler {
  return (walk, node) => {
    walk.addValue(mark + walk.syntax.render(node));
  };
}

const declaration: Handler = (walk, node) => {
  const name = walk.syntax.childOfType(node, "property_name");
  const text = name === undefined ? "" : walk.syntax.render(name);
  if (text.startsWith("--")) walk.addValue(text);
};

/** A pseudo-class has the same node: `:hover`. */
const className: Handler = (walk, node) => {
  const parent = walk.syntax.typeOf(walk.syntax.parentOf(node));
  if (parent === "class_selector") walk.addValue(`.${walk.syntax.render(node)}`);
};

/** `@import "a.css"` and `@import url(a.css)` */
function imported(syntax: Syntax, node: number): ImportFingerprint | undefined {
  const [place] = syntax.namedChildren(node);
  if (place === undefined) return undefined;
  const source = syntax
    .render(place)
    .replace(/^url ?\(|\)$/g, "")
    .replace(/^"|"$/g, "");
  return { source, specifiers: [] };
}

/** Without escapes and quotes inside, both kinds of quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\\n]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

export const rules: LanguageRules = {
  tokens: {
    // Before a comment the grammar does not see the blank that is an operator between two selectors.
    lexer: { isCss: true, interpolation: "" },
    // A blank between two selectors is an operator.
    frames: ["descendant_selector", "arguments", "declaration"],
    comments: ["comment", "js_comment"],
    atoms: { string_value: quoted, integer_value: true, float_value: true, color_value: true, plain_value: true },
    leaves: ["class_name", "id_name", "property_name", "feature_name", "tag_name", "identifier", "important"],
    optional: [";"],
  },
  declarations: {
    declaration,
    class_name: className,
    id_name: named("#"),
    keyframes_name: named("@keyframes "),
  },
  importStatements: ["import_statement"],
  imports: { import_statement: imported },
};
