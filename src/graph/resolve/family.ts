import type { FileIndex } from "./file-index.js";

export interface ResolverContext {
  /** The text of a config file listed by `resolverConfigFiles`; undefined if it cannot be read. */
  readText?: (path: string) => string | undefined;
}

/** An import statement, for the languages of one family. */
export interface ImportStatement {
  from: string;
  source: string;
  /** The imported names; in some languages these can be files. */
  specifiers: readonly string[];
}

export interface Family {
  resolve(imported: ImportStatement): string[];
  /** Files whose names need no import. */
  samePackage?(from: string): string[];
}

export type MakeFamily = (index: FileIndex, readText: (path: string) => string | undefined) => Family;
