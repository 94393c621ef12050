import type { PlainStructure } from "./plain-structure.js";

/** What one file looks like from outside. The first block of each shape is Understand-Anything's, the second is ours. */

/**
 * How a symbol behaves, in numbers that tell without its text whether a sentence about it may have become false: nodes that
 * branch or loop, throws and their like, boolean operators and comparisons, and a hash of which names it calls how often.
 */
export type Behaviour = readonly [branches: number, throws: number, comparisons: number, callees: string];

/** What a symbol's tokens say about whether a sentence about it may have become false. No part of any hash. */
export interface Signs {
  /** How many tokens it has. */
  tokens: number;
  /** Number and hash of its strings and numbers, in any order; absent for none. */
  literals?: string;
  /** The stems of its words, as words.ts encodes them. */
  words: string;
}

/** One of several declarations of one name. */
export interface Overload extends Signs {
  /** Hash of its parameters, return type and signature: by this two contents' overloads are paired. */
  key: string;
  hash: string;
  behaviour?: Behaviour;
  /** Its first line. */
  line: number;
}

/** What is known of a symbol's own tokens. */
export interface OwnFingerprint {
  /** Symbol hash of its own tokens: equal means that it did not drift, whatever its neighbours did. */
  hash: string;
  /** The same without its name, which finds it again under another one; absent for fewer than 20 tokens. */
  bareHash?: string;
  /** Absent if all counts are 0 and nothing is called. */
  behaviour?: Behaviour;
  signs?: Signs;
  /** Where there are several declarations: each for itself. */
  overloads?: Overload[];
  /** Of a function: hash of its text, comments and layout included. */
  textHash?: string;
  /** First and last line of each declaration, where there are several: overloads, a prototype and its definition, `impl` blocks. */
  parts?: [number, number][];
}

export interface FunctionFingerprint extends OwnFingerprint {
  name: string;
  params: string[];
  returnType?: string;
  exported: boolean;
  lineCount: number;

  /** First and last line, counted from 1. */
  lineRange: [number, number];
  /** All that a caller can see beyond params and return type: async, static, visibility, generics, decorators, throws. */
  signature: string;
  /** The names it calls that may lead to a node, each once: `f`, `ns.f`, `this.m`. No part of any comparison. */
  calls?: string[];
}

export type ClassKind = "class" | "interface" | "enum" | "struct" | "trait" | "type" | "module";

/** Its own tokens are those outside of its members' bodies. */
export interface ClassFingerprint extends OwnFingerprint {
  name: string;
  methods: string[];
  properties: string[];
  exported: boolean;
  lineCount: number;

  lineRange: [number, number];
  kind: ClassKind;
  extends: string[];
  implements: string[];
  /** All that a user of the class can see beyond its member lists: generics, modifiers, decorators. */
  signature: string;
}

export interface ImportFingerprint {
  source: string;
  specifiers: string[];
}

/** A name that is exported but is neither function nor class: `export const limit: number`. */
export interface ValueFingerprint {
  name: string;
  /** The declared type, or the keys of an object literal; empty where the text gives none. */
  type: string;
}

export interface FileFingerprint {
  filePath: string;
  /** sha256 of the text, as the systems we are compatible with compute it. */
  contentHash: string;
  functions: FunctionFingerprint[];
  classes: ClassFingerprint[];
  imports: ImportFingerprint[];
  exports: string[];
  totalLines: number;
  hasStructuralAnalysis: boolean;

  /** Name and version of what made this entry; entries of two extractors are compared by content only. */
  extractor: string;
  blobOid?: string;
  /** Hash of all tokens without comments and layout: equal means that the drift is cosmetic. */
  tokenHash: string;
  /** Everything outside of functions and classes, import statements left out. */
  moduleCode?: OwnFingerprint;
  /** Exported constants and variables with their declared types. */
  values?: ValueFingerprint[];
  /** Hash of what the grammar could not read outside of any declaration; absent where it could read everything. */
  unreadable?: string;
  /** The file says of itself that a program wrote it. */
  isGenerated?: true;
  /** Why there is no structural analysis, where there is none. */
  reason?: string;
  /** What fingerprints.json says in place of the above; no part of any comparison of ours. */
  plain?: PlainStructure;
  /** No part of any comparison, and kept with our facts only: fingerprints.json has none of it. */
  docs?: DocComments;
}

/** The first sentences of doc comments, functions and classes by name. */
export interface DocComments {
  file?: string;
  functions?: Record<string, string>;
  classes?: Record<string, string>;
  /** The content words of whole comments, by kind and name: `function Queue.push`; of its second declaration `function Queue.push:1`. */
  words?: Record<string, string>;
}

export type ChangeLevel = "NONE" | "COSMETIC" | "STRUCTURAL";
/** `behaviour`: a changed body, after which a sentence about the symbol may be false. */
export const DRIFTS = ["none", "cosmetic", "body", "behaviour", "interface", "new", "gone"] as const;
export type Drift = (typeof DRIFTS)[number];

export interface FileChange {
  filePath: string;
  changeLevel: ChangeLevel;
  drift: Drift;
  details: string[];
}
