/** How a text is marked up: what is dropped, and what stands for something else. */
export type Markup = "jsdoc" | "javadoc" | "xml" | "rst" | "markdown" | "rdoc" | "doxygen" | "scaladoc" | "plain";

/** Where one language keeps what its authors say about a declaration or a file. Patterns are for trimmed lines. */
export interface DocStyle {
  markup: Markup;
  /** The first line of a comment that documents; others are notes. */
  opens: RegExp;
  /** A line comment that can be part of such a one. */
  line?: RegExp;
  /** A line comment of any kind. */
  anyLine: RegExp;
  /** The first line of any block comment, the end of one, and a line that ends one. */
  begins: RegExp;
  ends: string;
  closes?: RegExp;
  /** What makes a line of a comment one, to be taken away in turn. */
  strip: readonly RegExp[];
  /** What may stand between a comment and its declaration, where the tree does not make it a part of the declaration. */
  between?: RegExp;
  /** True where the comment is a string at the start of the body. */
  docstrings?: true;
  file: {
    /** Where other comments than those of declarations are about the file. */
    opens?: RegExp;
    /** A comment at the top is about the file if this stands below it; nothing does where a blank line follows. */
    before: RegExp;
    /** Words in the comment that say so, whatever follows. */
    always?: RegExp;
  };
}

const NEVER = /^(?!)/;
const FILE_TAG = /[@\\](?:file|fileoverview|overview|module|packageDocumentation)\b/;

/** `/** … *\/` and nothing else: Java and its relatives. */
const BLOCKS = {
  opens: /^\/\*\*(?![*/])/,
  anyLine: /^\/\//,
  begins: /^\/\*/,
  ends: "*/",
  closes: /\*\/$/,
  strip: [/^\/\*+!?/, /\*+\/$/, /^\*(?!\*)/, /^\/\/+/],
} as const;

const jsdoc: DocStyle = {
  ...BLOCKS,
  markup: "jsdoc",
  between: /^@[\w.]+(?:\(.*\))?$/,
  file: {
    always: FILE_TAG,
    before:
      /^$|^(?:import\b|export\s*(?:type\s*)?[*{]|(?:const|let|var)\b.*\brequire\(|require\(|module\.exports = \{|\/\/)/,
  },
};

/** `///` as well. */
const slashes = {
  ...BLOCKS,
  opens: /^(?:\/\*\*(?![*/])|\/\/\/(?!\/))/,
  line: /^\/\/\/(?!\/)/,
  strip: [/^\/\*+!?/, /\*+\/$/, /^\*(?!\*)/, /^\/\/+!?/],
} as const;

/** Any comment: C and Go have no other kind. */
const anything = {
  ...BLOCKS,
  opens: /^(?:\/\*(?!\*\/)|\/\/)/,
  line: /^\/\//,
  strip: [/^\/\*+[!<]?/, /\*+\/$/, /^\*(?!\*)/, /^\/\/+[!<]?/],
} as const;

const c: DocStyle = {
  ...anything,
  markup: "doxygen",
  between: /^(?:template\s*<.*>|\[\[.*\]\]|__attribute__.*|[A-Z][A-Z0-9_]{2,}(?:\(.*\))?)$/,
  file: { always: FILE_TAG, before: /^$|^(?:#|extern "C"|namespace\b|using\b|module\b|\/[/*])/ },
};

/** Lines that begin with one mark. */
function hashes(mark: string): Pick<DocStyle, "opens" | "line" | "anyLine" | "strip" | "begins" | "ends"> {
  const line = new RegExp(`^${mark}(?!!)`);
  return { opens: line, line, anyLine: line, strip: [new RegExp(`^${mark}+`)], begins: NEVER, ends: "\u0000" };
}

/** By the language's name. */
export const DOC_STYLES: Readonly<Record<string, DocStyle>> = {
  typescript: jsdoc,
  tsx: jsdoc,
  javascript: jsdoc,
  python: {
    ...hashes("#"),
    markup: "rst",
    docstrings: true,
    file: { before: NEVER },
  },
  go: {
    ...anything,
    markup: "markdown",
    file: { before: /^package\b/ },
  },
  rust: {
    ...slashes,
    markup: "markdown",
    between: /^#!?\[.*\]$/,
    file: { opens: /^(?:\/\/!|\/\*!)/, before: NEVER, always: /^(?:\/\/!|\/\*!)/ },
  },
  java: { ...BLOCKS, markup: "javadoc", between: /^@[\w.]+(?:\(.*\))?$/, file: { before: /^$|^(?:package|import)\b/ } },
  kotlin: {
    ...BLOCKS,
    markup: "markdown",
    between: /^@[\w.:]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:package|import|@file)\b/ },
  },
  c,
  cpp: c,
  csharp: { ...slashes, markup: "xml", between: /^\[.*\]$/, file: { before: /^$|^(?:using|namespace)\b/ } },
  ruby: {
    ...hashes("#"),
    markup: "rdoc",
    file: { before: /^$|^(?:require|require_relative|autoload|load|gem)\b/ },
  },
  php: {
    ...BLOCKS,
    anyLine: /^(?:\/\/|#(?!\[))/,
    markup: "jsdoc",
    between: /^#\[.*\]$/,
    file: {
      always: /[@\\]file\b/,
      before: /^$|^(?:namespace|use|declare|require|include|require_once|include_once)\b/,
    },
  },
  swift: {
    ...slashes,
    markup: "markdown",
    between: /^@[\w.]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:@\w+ )?import\b/ },
  },
  scala: {
    ...BLOCKS,
    markup: "scaladoc",
    between: /^@[\w.]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:package|import)\b/ },
  },
  lua: {
    markup: "jsdoc",
    opens: /^--/,
    line: /^--(?!\[=*\[)/,
    anyLine: /^--(?!\[=*\[)/,
    begins: /^--\[=*\[/,
    ends: "]]",
    closes: /\]=*\](?:--)?$/,
    strip: [/^--\[=*\[-*/, /(?:--)?\]=*\](?:--)?$/, /^-{2,}/],
    file: { before: /^$|^(?:local\s+[\w, ]+=\s*(?:\{|require)|require|return|module)/ },
  },
  bash: {
    ...hashes("#"),
    markup: "plain",
    file: { before: /^$|^(?:set|source|\.|shopt)\s/ },
  },
};
