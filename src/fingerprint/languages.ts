import { ENGINE } from "./engine.js";
import type { LanguageRules } from "./rules.js";

/** What is known about a language before any of it is loaded. Hooks ask for every changed path, so this stays small. */
export interface SourceLanguage {
  name: string;
  /** Rises when the description changes what it extracts; entries of another version are compared by content only. */
  version: number;
  /** File name in dist/grammars, without `.wasm`. */
  grammar: string;
  load(): Promise<LanguageRules>;
  /** Its scripts are parsed, and the rest is compared as text. */
  isComponent?: true;
  /** Read by its lines, without a grammar. */
  isText?: true;
  /** No code: such a file counts only where the graph has a node for it. */
  onlyInGraph?: true;
  /** Since which of our lists of languages it counts (LANGUAGE_LIST); the first one if absent. */
  since?: number;
}

type Loading = () => Promise<{ rules: LanguageRules }>;

/* @__NO_SIDE_EFFECTS__ */
function language(name: string, loading: Loading): SourceLanguage {
  return { name, version: 1, grammar: name, load: async () => (await loading()).rules };
}

/* @__NO_SIDE_EFFECTS__ */
function version(number: number, language: SourceLanguage): SourceLanguage {
  return { ...language, version: number };
}

const ecmascript: Loading = () => import("./languages/ecmascript.js");
const typescript = language("typescript", ecmascript);
const javascript = language("javascript", ecmascript);
const python = language("python", () => import("./languages/python.js"));
const rust = language("rust", () => import("./languages/rust.js"));
const c = language("c", () => import("./languages/c.js"));
const cpp = language("cpp", () => import("./languages/cpp.js"));
const csharp = language("csharp", () => import("./languages/csharp.js"));
const kotlin = version(
  2,
  language("kotlin", () => import("./languages/kotlin.js")),
);
const php = language("php", () => import("./languages/php.js"));
const ruby = language("ruby", () => import("./languages/ruby.js"));
const swift = language("swift", () => import("./languages/swift.js"));
const scala = language("scala", () => import("./languages/scala.js"));
const lua = language("lua", () => import("./languages/lua.js"));
const bash = language("bash", () => import("./languages/bash.js"));
const go = language("go", () => import("./languages/go.js"));
const java = language("java", () => import("./languages/java.js"));

/** Rises when languages are added: a clone that was verified with an earlier list marks their files as up to date, once. */
export const LANGUAGE_LIST = 2;

/* @__NO_SIDE_EFFECTS__ */
function added(language: SourceLanguage): SourceLanguage {
  return { ...language, since: LANGUAGE_LIST };
}

/* @__NO_SIDE_EFFECTS__ */
function described(language: SourceLanguage): SourceLanguage {
  return { ...added(language), onlyInGraph: true };
}

/* @__NO_SIDE_EFFECTS__ */
function byLines(language: SourceLanguage): SourceLanguage {
  return { ...language, grammar: "", isText: true };
}

const dart = added(language("dart", () => import("./languages/dart.js")));
const hcl = added(language("hcl", () => import("./languages/hcl.js")));
const yaml = described(language("yaml", () => import("./languages/yaml.js")));
const css = version(2, described(language("css", () => import("./languages/css.js"))));
const markdown = byLines(described(language("markdown", () => Promise.reject(new Error("there is no grammar")))));

/* @__NO_SIDE_EFFECTS__ */
function component(name: string): SourceLanguage {
  return { ...language(name, ecmascript), grammar: "typescript", isComponent: true };
}

const byExtension: Readonly<Record<string, SourceLanguage>> = {
  ts: typescript,
  mts: typescript,
  cts: typescript,
  tsx: language("tsx", ecmascript),
  js: javascript,
  jsx: javascript,
  mjs: javascript,
  cjs: javascript,
  py: python,
  pyi: python,
  go,
  rs: rust,
  java,
  c,
  // A header does not say which language it is for; the grammar of C++ reads both.
  h: cpp,
  cc: cpp,
  cpp,
  cxx: cpp,
  hh: cpp,
  hpp: cpp,
  hxx: cpp,
  inl: cpp,
  cs: csharp,
  kt: kotlin,
  kts: kotlin,
  php,
  phtml: php,
  rb: ruby,
  rake: ruby,
  gemspec: ruby,
  swift,
  scala,
  sc: scala,
  lua,
  sh: bash,
  bash,
  vue: component("vue"),
  svelte: component("svelte"),
  astro: component("astro"),
  dart,
  tf: hcl,
  tofu: hcl,
  tfvars: hcl,
  hcl,
  yml: yaml,
  yaml,
  css,
  md: markdown,
  markdown,
};

/** The language of a path, by its extension alone: content is never looked at, so old and new blob always agree. */
export function languageOf(path: string): SourceLanguage | undefined {
  const dot = path.lastIndexOf(".");
  if (dot <= path.lastIndexOf("/") + 1) return undefined;
  const extension = path.slice(dot + 1).toLowerCase();
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** Whether a path is code by its name alone. */
export function isSource(path: string): boolean {
  const language = languageOf(path);
  return language !== undefined && language.onlyInGraph !== true;
}

/** Name and version of what fingerprints this path, e.g. `ua-hooks/4 typescript/1`. */
export function extractorOf(path: string): string {
  return extractorName(languageOf(path));
}

function extractorName(language: SourceLanguage | undefined): string {
  return language === undefined ? `${ENGINE} content` : `${ENGINE} ${language.name}/${language.version}`;
}

/** All that fingerprint anything; what others made is of no more use. */
export function currentExtractors(): string[] {
  return [undefined, ...new Set(Object.values(byExtension))].map(extractorName);
}
