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
  /** The first line of a comment that documents what comes next also behind a blank line, as the language's own tools have it. */
  gap?: RegExp;
  /** Such a comment has so many words: a shorter one is the title of a section. */
  gapWords?: number;
  /** What may stand between a comment and its declaration, where the tree does not make it a part of the declaration. */
  between?: RegExp;
  /** What a declaration begins with that has its comment inside: Go's `type ( … )` around a single type. */
  group?: RegExp;
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

/** Which texts are comments; a style also says how they are marked up, and which one is about the file. */
type CommentMarks = Omit<DocStyle, "markup" | "file">;

/* @__NO_SIDE_EFFECTS__ */
function marks(base: CommentMarks, own: Partial<CommentMarks>): CommentMarks {
  return { ...base, ...own };
}

/* @__NO_SIDE_EFFECTS__ */
function style(base: CommentMarks, own: Pick<DocStyle, "markup" | "file"> & Partial<CommentMarks>): DocStyle {
  return { ...base, ...own };
}

/** From the first star of its row on: tried at each one of 200,000, it takes minutes. */
const BLOCK_END = /(?<!\*)\*+\/$/;

/** `/** … *\/` and nothing else: Java and its relatives. */
const BLOCKS: CommentMarks = {
  opens: /^\/\*\*(?![*/])/,
  gap: /^\/\*\*(?![*/])/,
  anyLine: /^\/\//,
  begins: /^\/\*/,
  ends: "*/",
  closes: /\*\/$/,
  strip: [/^\/\*+!?/, BLOCK_END, /^\*(?!\*)/, /^\/\/+/],
};

const jsdoc = style(BLOCKS, {
  markup: "jsdoc",
  between: /^@[\w.]+(?:\(.*\))?$/,
  file: {
    always: FILE_TAG,
    before:
      /^$|^(?:import\b|export\s*(?:type\s*)?[*{]|(?:const|let|var)\b.*\brequire\(|require\(|module\.exports = \{|\/\/)/,
  },
});

/** `///` as well. */
const slashes = marks(BLOCKS, {
  opens: /^(?:\/\*\*(?![*/])|\/\/\/(?!\/))/,
  gap: /^(?:\/\*\*(?![*/])|\/\/\/(?!\/))/,
  line: /^\/\/\/(?!\/)/,
  strip: [/^\/\*+!?/, BLOCK_END, /^\*(?!\*)/, /^\/\/+!?/],
});

/** Any comment: C and Go have no other kind. */
const anything = marks(BLOCKS, {
  opens: /^(?:\/\*(?!\*\/)|\/\/)/,
  gap: NEVER,
  line: /^\/\//,
  strip: [/^\/\*+[!<]?/, BLOCK_END, /^\*(?!\*)/, /^\/\/+[!<]?/],
});

const c = style(anything, {
  markup: "doxygen",
  gap: /^(?:\/\*[*!](?![*/])|\/\/[/!])/,
  between: /^(?:template\s*<.*>|\[\[.*\]\]|__attribute__.*|[A-Z][A-Z0-9_]{2,}(?:\(.*\))?)$/,
  file: { always: FILE_TAG, before: /^$|^(?:#|extern "C"|namespace\b|using\b|module\b|\/[/*])/ },
});

/** Lines that begin with one mark. */
/* @__NO_SIDE_EFFECTS__ */
function hashes(mark: string): CommentMarks {
  const line = new RegExp(`^${mark}(?!!)`);
  return { opens: line, line, anyLine: line, strip: [new RegExp(`^${mark}+`)], begins: NEVER, ends: "\u0000" };
}

/** By the language's name. */
export const DOC_STYLES: Readonly<Record<string, DocStyle>> = {
  typescript: jsdoc,
  tsx: jsdoc,
  javascript: jsdoc,
  ...{ vue: jsdoc, svelte: jsdoc, astro: jsdoc },
  python: style(hashes("#"), {
    markup: "rst",
    docstrings: true,
    file: { before: NEVER },
  }),
  go: style(anything, {
    markup: "markdown",
    group: /^(?:type|var)\s*\(\s*/,
    file: { before: /^package\b/ },
  }),
  rust: style(slashes, {
    markup: "markdown",
    between: /^#!?\[.*\]$/,
    file: { opens: /^(?:\/\/!|\/\*!)/, before: NEVER, always: /^(?:\/\/!|\/\*!)/ },
  }),
  java: style(BLOCKS, {
    markup: "javadoc",
    between: /^@[\w.]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:package|import)\b/ },
  }),
  kotlin: style(BLOCKS, {
    markup: "markdown",
    between: /^@[\w.:]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:package|import|@file)\b/ },
  }),
  c,
  cpp: c,
  csharp: style(slashes, {
    markup: "xml",
    between: /^(?:\[.*\]|#(?:pragma|nullable|if|else|endif|region|endregion)\b.*)$/,
    file: { before: /^$|^(?:using|namespace)\b/ },
  }),
  ruby: style(hashes("#"), {
    markup: "rdoc",
    gap: /^#(?!!)/,
    gapWords: 5,
    file: { before: /^$|^(?:require|require_relative|autoload|load|gem)\b/ },
  }),
  php: style(BLOCKS, {
    anyLine: /^(?:\/\/|#(?!\[))/,
    markup: "jsdoc",
    between: /^#\[.*\]$/,
    file: {
      always: /[@\\]file\b/,
      before: /^$|^(?:namespace|use|declare|require|include|require_once|include_once)\b/,
    },
  }),
  swift: style(slashes, {
    markup: "markdown",
    between: /^@[\w.]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:@\w+ )?import\b/ },
  }),
  scala: style(BLOCKS, {
    markup: "scaladoc",
    between: /^@[\w.]+(?:\(.*\))?$/,
    file: { before: /^$|^(?:package|import)\b/ },
  }),
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
  dart: style(slashes, {
    markup: "markdown",
    between: /^@[\w.]+(?:\(.*\))?$/,
    file: { before: /^(?:library|import|export|part)\b/ },
  }),
  hcl: style(hashes("#"), { markup: "markdown", file: { before: /^$|^terraform\b/ } }),
  bash: style(hashes("#"), {
    markup: "plain",
    file: { before: /^$|^(?:set|source|\.|shopt)\s/ },
  }),
};
