import type { Handler, LanguageRules } from "../rules.js";

/** The keys of a document are what its readers look for; what is below them is its content. */
const pair: Handler = (walk, node) => {
  const key = walk.syntax.child(node, "key");
  if (key !== undefined) walk.addValue(walk.syntax.render(key));
};

/** Without escapes and quotes inside, both kinds of quotes mean the same. */
const quoted = (text: string) => (/^(['"])[^'"\\\n]*\1$/.test(text) ? `"${text.slice(1, -1)}"` : text);

export const rules: LanguageRules = {
  tokens: {
    frames: ["document", "block_mapping", "block_mapping_pair", "block_sequence", "block_sequence_item"],
    comments: ["comment"],
    atoms: { plain_scalar: true, double_quote_scalar: quoted, single_quote_scalar: quoted, block_scalar: true },
    greedy: ["block_scalar"],
    leaves: ["anchor", "alias", "tag"],
    trailingCommaIn: ["flow_sequence", "flow_mapping"],
  },
  declarations: { block_mapping_pair: pair, block_sequence: () => {} },
};
