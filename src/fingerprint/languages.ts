import type { LanguageRules } from "./rules.js";

/** What is known about a language before any of it is loaded. Hooks ask for every changed path, so this stays small. */
export interface Language {
  name: string;
  /** Rises when the description changes what it extracts; entries of another version are compared by content only. */
  version: number;
  /** File name in dist/grammars, without `.wasm`. */
  grammar: string;
  load(): Promise<LanguageRules>;
}

/** Rises when the engine itself (tokens, rendering, merging) changes what it extracts for every language. */
export const ENGINE = "ua-hooks/1";

const ecma = (name: string, grammar = name): Language => ({
  name,
  version: 1,
  grammar,
  load: async () => (await import("./languages/ecmascript.js")).rules,
});

const typescript = ecma("typescript");
const tsx = ecma("tsx");
const javascript = ecma("javascript");

const python: Language = {
  name: "python",
  version: 1,
  grammar: "python",
  load: async () => (await import("./languages/python.js")).rules,
};

const byExtension: Readonly<Record<string, Language>> = {
  ts: typescript,
  mts: typescript,
  cts: typescript,
  tsx,
  js: javascript,
  jsx: javascript,
  mjs: javascript,
  cjs: javascript,
  py: python,
  pyi: python,
};

/** The language of a path, by its extension alone: content is never looked at, so old and new blob always agree. */
export function languageOf(path: string): Language | undefined {
  const dot = path.lastIndexOf(".");
  if (dot <= path.lastIndexOf("/") + 1) return undefined;
  const extension = path.slice(dot + 1).toLowerCase();
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** Name and version of what fingerprints this path, e.g. `ua-hooks/1 typescript/1`. */
export function extractorOf(path: string): string {
  const language = languageOf(path);
  return language === undefined ? `${ENGINE} content` : `${ENGINE} ${language.name}/${language.version}`;
}
