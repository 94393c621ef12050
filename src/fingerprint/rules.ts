import type { CommentLexer } from "./find-comments.js";
import type { PlainRules } from "./plain-structure.js";
import type { Syntax } from "./syntax.js";
import type { ImportFingerprint } from "./types.js";
import type { Scope, Walk } from "./walk.js";

/** Called for a node of its type. The walk does not look inside the node unless the handler asks it to. */
export type Handler = (walk: Walk, node: number, scope: Scope) => void;

/** What the token stream needs to know of a language: which differences between two texts mean nothing. */
export interface TokenRules {
  /** Where the grammar stumbles over comments: they are found by this, and the parser sees blanks in their place. */
  lexer?: CommentLexer;
  /**
   * Blocks and lists of statements: where one begins and ends, and where each statement of it begins, is marked among a
   * symbol's tokens, because no token says so. Also nodes whose brackets are optional.
   */
  frames?: readonly string[];
  /** Node types that are comments or pure layout: they leave no trace at all. */
  comments: readonly string[];
  /** A comment in text that no node covers, from where it begins: some scanners take one for white space. */
  uncovered?: RegExp;
  /** Comments that are code in disguise (`//go:build`), and so are tokens. */
  meaningful?: (comment: string, source: string) => boolean;
  /**
   * Node types that are one token whatever is inside, because white space inside counts: strings, templates, heredocs.
   * A function gives the token's canonical text; an empty one drops it.
   */
  atoms: Readonly<Record<string, true | ((text: string, parentType: string) => string)>>;
  /** A separator that the grammar makes no node of, and that means nothing beyond the shape it gives the tree. */
  hidden?: ";";
  /** Atoms that begin where the token before them ended: the first line's indentation of a heredoc. */
  greedy?: readonly string[];
  /** Node types that begin a statement of their own on a new line, though the grammar joins them to what stands before. */
  ownLine?: readonly string[];
  /** Named node types that are one token, also where the grammar makes them of others: an `identifier` that is a keyword elsewhere. */
  leaves?: readonly string[];
  /** Tokens whose presence means nothing (the tree's shape is in the stream), unless the parent is one of `keptIn`. */
  optional?: readonly string[];
  keptIn?: readonly string[];
  /** Parents in which a comma before the closing bracket means nothing. */
  trailingCommaIn?: readonly string[];
  /** Nodes that leave no trace below the given parents, brackets included: `return (x)` is `return x`. */
  transparent?: Readonly<Record<string, readonly string[]>>;
  /** Tokens that mean nothing below the given parents: brackets around Python's import lists. */
  optionalIn?: Readonly<Record<string, readonly string[]>>;
  documentation?: DocumentationRules;
}

/** Statements that only document: Python's docstrings. They are comments, and a statement to the grammar. */
export interface DocumentationRules {
  /** Their node type. */
  statement: string;
  /** Asked once the node's children are known. */
  isDocumentation(syntax: Syntax, statement: number): boolean;
  /** What such a statement is equal to where a block has no other: the node type and the token of `pass`. */
  empty: readonly [type: string, token: string];
}

/** Which nodes call something. Fields or child types throughout, as grammars have them. */
export interface CallRules {
  /**
   * Node type → where its arguments begin; what stands before them is the callee. None: the node is the arguments, and the callee
   * stands before it.
   */
  at: Readonly<Record<string, readonly string[]>>;
  /** Node type → where the names are that it binds: a parameter is no function of the file, whatever it is called. */
  binds?: Readonly<Record<string, readonly string[]>>;
  /** True where a name can come from elsewhere without an import that lists it: packages, includes, base classes. */
  everyName?: boolean;
  /** True where the callee is one word, whatever is in it: `my-command`. */
  oneWord?: boolean;
}

/** Which nodes and calls say how a symbol behaves. */
export interface BehaviourRules {
  /** Nodes that branch or loop. */
  branches: readonly string[];
  /** Nodes that throw, or catch what was thrown. */
  throws?: readonly string[];
  /** Operators that compare or combine, where the grammar gives them names of its own. */
  comparisons?: readonly string[];
  /** Calls that do the same as `throws`, by the name that is called, or by the last two: `panic`, `errors.New`. */
  throwingCalls?: readonly string[];
  /** The same, by a part of the name: C reports errors by functions of its own. */
  throwingNames?: RegExp;
}

/** One language, as data where possible. */
export interface LanguageRules {
  tokens: TokenRules;
  /** What Understand-Anything's extractor finds. Absent where it has none, or where ours cannot say what it finds. */
  plain?: PlainRules;
  /** Declarations: node type → what to do with it. Types not listed are walked through. */
  declarations: Readonly<Record<string, Handler>>;
  /** Nodes that stand before a declaration and belong to it, where the grammar makes them its siblings. */
  leading?: readonly string[];
  /** Imports are looked for everywhere, also inside bodies. */
  imports?: Readonly<
    Record<string, (syntax: Syntax, node: number) => ImportFingerprint | ImportFingerprint[] | undefined>
  >;
  /** Statements that only import: no code of the file. Where such a node can be something else, only if it imports. */
  importStatements?: readonly string[];
  calls?: CallRules;
  /** Absent where nothing runs: then a change is never one of behaviour. */
  behaviour?: BehaviourRules;
  /** Subtrees left out of rendered signatures: parent type → fields. Defaults' values, mostly. */
  elided?: Readonly<Record<string, readonly string[]>>;
  /** Parts of a declaration that no caller can tell: annotations for linters and compilers, modifiers that go without saying. */
  silent?: Readonly<Record<string, (syntax: Syntax, node: number) => boolean>>;
  /** Words that say what kind of thing a declaration is, not how it may be used. */
  noise?: readonly string[];
  /** True where the order of overloads decides which one is taken. */
  orderedOverloads?: boolean;
  /** Called after the walk, when all names are known: export lists, `__all__`. */
  finish?: Handler;
}
