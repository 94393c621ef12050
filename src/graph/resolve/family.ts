import type { FileIndex } from "./file-index.js";

export interface ResolverContext {
  /** The text of a config file that `resolverConfigFiles` asked for; undefined where it cannot be read. */
  readText?: (path: string) => string | undefined;
}

/** What one import means, for the languages of one family. */
export interface ImportStatement {
  from: string;
  source: string;
  /** What is taken from the source; in some languages these are files of their own. */
  specifiers: readonly string[];
}

export interface Family {
  resolve(imported: ImportStatement): string[];
  /** Files whose names can be used without an import. */
  samePackage?(from: string): string[];
}

export type MakeFamily = (index: FileIndex, readText: (path: string) => string | undefined) => Family;
