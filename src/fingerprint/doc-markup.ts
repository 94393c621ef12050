import { replaceHidden } from "../printable.js";
import type { Markup } from "./doc-styles.js";

type Rewrite = readonly [pattern: RegExp, by: string | ((match: string, ...groups: string[]) => string)];

const nothing = "";

/** `{@link Foo#bar the label}`: the label, or what it leads to. */
const LINKS: readonly Rewrite[] = [
  [/\{@inheritDoc\}/gi, nothing],
  [/\[([^\][]+)\]\{@link(?:code|plain)?[^}]*\}/g, "$1"],
  [
    /\{@(?:link|linkcode|linkplain|see|value|code|literal|snippet|systemProperty|tutorial)\b\s*([^{}]*)\}/g,
    (match, inner = "") => (/^\{@(?:code|literal)/.test(match) ? inner.trim() : labelOf(inner.trim())),
  ],
];

function labelOf(inner: string): string {
  const [, target = "", label = ""] = /^([^\s|(]*(?:\([^)]*\))?)[\s|]*(.*)$/s.exec(inner) ?? [];
  return label === "" ? target.replace(/^#/, "") : label.trim();
}

const HTML: readonly Rewrite[] = [
  [/<see\w*\s+(?:cref|langword|href)="(?:[A-Z]:)?([^"]*)"\s*\/>/g, "$1"],
  [/<see\w*\s+[^>]*>([^<]*)<\/see\w*>/g, "$1"],
  [/<(?:paramref|typeparamref)\s+name="([^"]*)"\s*\/>/g, "$1"],
  [
    /<\/?(?:inheritdoc|summary|para|remarks|value|returns|c|p|br|b|i|u|em|strong|code|tt|kbd|var|pre|a|ul|ol|li|dl|dt|dd|h[1-6]|span|div|sup|sub|blockquote|font|center)\b[^<>]*>/gi,
    nothing,
  ],
  [/&(lt|gt|amp|quot|apos|nbsp|#64|#39|#123|#125);/g, (match, name = "") => ENTITIES[name] ?? match],
];

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  nbsp: " ",
  "#64": "@",
  "#39": "'",
  "#123": "{",
  "#125": "}",
};

const MARKDOWN_LINKS: readonly Rewrite[] = [
  [/!\[[^\][]*\]\([^()\s]*\)/g, nothing],
  [/\[([^\][]+)\](?:\([^()\s]*(?:\([^()]*\))?[^()\s]*\)|\[[^\][]*\])/g, "$1"],
];

/** Rust, Kotlin, Go and Swift: `[Foo::bar]`. */
const NAME_LINKS: readonly Rewrite[] = [
  [/\[(`[^`\][]+`|[a-zA-Z_\u0080-\uffff][\w.:!\u0080-\uffff]*(?:\(\))?)\]/g, "$1"],
];

const RST: readonly Rewrite[] = [
  [/:[a-z][\w:.+-]*:`([^`<>]*?)\s*<[^`<>]*>`/gi, "$1"],
  [/:[a-z][\w:.+-]*:`~(?:[^`.]*\.)*([^`.]+)`/gi, "$1"],
  [/:[a-z][\w:.+-]*:`!?([^`]*)`/gi, "$1"],
  [/`([^`<>]+?)\s*<[^`<>]*>`__?/g, "$1"],
  [/``([^`]+)``/g, "`$1`"],
];

const SCALADOC: readonly Rewrite[] = [
  [/\[\[\s*([^\]\s]+)(?:\s+([^\]]+))?\s*\]\]/g, (_match, target = "", label?: string) => label ?? target],
  [/\{\{\{(.*?)\}\}\}/g, "$1"],
  [/'''?([^']+)'''?/g, "$1"],
];

const RDOC: readonly Rewrite[] = [
  [/\{([^{}]+)\}\[[^\][]*\]/g, "$1"],
  [/\+([\w:.#?!=@$-]+)\+/g, "$1"],
  [/\{([A-Z#][\w:#?!.]*)(?:\s+([^{}]*))?\}/g, (_match, target = "", label?: string) => label ?? target],
  [/:(?:nodoc|startdoc|stopdoc|doc):/g, nothing],
];

const DOXYGEN: readonly Rewrite[] = [
  [/^[@\\](?:brief|short)\s+/, nothing],
  [/[@\\](?:c|p|a|e|b|em|ref|link)\s+([^\s,;]+)/g, "$1"],
];

const REWRITES: Readonly<Record<Markup, readonly (readonly Rewrite[])[]>> = {
  jsdoc: [LINKS, HTML, MARKDOWN_LINKS],
  javadoc: [LINKS, HTML],
  xml: [HTML],
  rst: [RST],
  markdown: [MARKDOWN_LINKS, NAME_LINKS],
  rdoc: [HTML, RDOC],
  doxygen: [DOXYGEN, HTML],
  scaladoc: [LINKS, SCALADOC, HTML],
  plain: [],
};

/** No rewrite has anything to do with a text that holds none of these. */
const MARKED = /[{<&[`'+:@\\]/;

/** The text that a reader of the rendered documentation sees, on one line. */
export function plainText(text: string, markup: Markup): string {
  let plain = text;
  for (const [pattern, by] of MARKED.test(text) ? REWRITES[markup].flat() : []) {
    plain = typeof by === "string" ? plain.replace(pattern, by) : plain.replace(pattern, by);
  }
  return replaceHidden(plain, () => " ")
    .replace(/\s+/g, " ")
    .trim();
}
