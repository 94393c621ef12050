import { firstSentence } from "../fingerprint/doc-sentence.js";
import { frameworksOf } from "./frameworks.js";
import { topLayer } from "./layers.js";
import { byText } from "./order.js";
import { asObject, asString, parseJsonc } from "./resolve/jsonc.js";
import type { GraphHead, Layer } from "./types.js";

/** What the authors wrote about the project and its folders, and what it is built with. */
export interface ProjectTexts {
  description?: string;
  frameworks: string[];
  /** The first sentence of each top directory's README. */
  directories: ReadonlyMap<string, string>;
}

type ManifestReader = (text: string) => string | undefined;

/** Where each kind of project says what it is, in the order in which they are asked. */
const MANIFESTS: readonly (readonly [name: RegExp, description: ManifestReader])[] = [
  [/^package\.json$/, jsonDescription],
  [/^pyproject\.toml$/, (text) => tomlValue(text, /^(?:project|tool\.poetry)$/, "description")],
  [/^Cargo\.toml$/, (text) => tomlValue(text, /^(?:package|workspace\.package)$/, "description")],
  [/^composer\.json$/, jsonDescription],
  [
    /^[^/]+\.gemspec$/,
    (text) => /\.(?:summary|description)\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')/.exec(text)?.slice(1).find(Boolean),
  ],
  [/^setup\.cfg$/, (text) => /^description\s*=\s*(\S.*)$/m.exec(text)?.[1]],
  [/^setup\.py$/, (text) => /\bdescription\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')/.exec(text)?.slice(1).find(Boolean)],
  [/^pom\.xml$/, (text) => /<description>([^<]+)<\/description>/.exec(text)?.[1]],
  [/^build\.sbt$/, (text) => /\bdescription\s*:=\s*"([^"\n]+)"/.exec(text)?.[1]],
];

/** Those that name what a project is built with; none of them has a description. */
const DEPENDENCIES =
  /^(?:go\.mod|requirements[\w.-]*\.txt|Pipfile|Gemfile|build\.gradle(?:\.kts)?|libs\.versions\.toml|Package\.swift|[^/]+\.csproj)$/;
const README = /^readme(?:\.(?:md|markdown|rst|txt))?$/i;
/** In a monorepo each package has its own manifest. */
const MOST_MANIFESTS = 50;

/** The files whose text is wanted: READMEs of the root and of top directories, manifests down to the third level. */
export function projectTextFiles(paths: Iterable<string>): string[] {
  const readmes: string[] = [];
  const manifests: string[] = [];
  for (const path of paths) {
    const depth = path.split("/").length;
    const base = baseOf(path);
    if (depth <= 2 && README.test(base)) readmes.push(path);
    else if (depth <= 3 && isManifest(base) && !/(?:^|\/)(?:node_modules|vendor)\//.test(path)) manifests.push(path);
  }
  const byDepth = (a: string, b: string) => a.split("/").length - b.split("/").length || byText(a, b);
  return [...readmes.sort(byText), ...manifests.sort(byDepth).slice(0, MOST_MANIFESTS)];
}

function isManifest(base: string): boolean {
  return DEPENDENCIES.test(base) || MANIFESTS.some(([name]) => name.test(base));
}

export function projectTexts(texts: ReadonlyMap<string, string>): ProjectTexts {
  const directories = new Map<string, string>();
  let readme: string | undefined;
  for (const [path, text] of texts) {
    if (!README.test(baseOf(path))) continue;
    const sentence = readmeSentence(path, text);
    const slash = path.indexOf("/");
    if (slash < 0) readme ??= sentence;
    else if (sentence !== undefined) directories.set(path.slice(0, slash), sentence);
  }
  const description = manifestDescription(texts) ?? readme;
  const manifests = [...texts].filter(([path]) => isManifest(baseOf(path)));
  return { ...(description === undefined ? {} : { description }), frameworks: frameworksOf(manifests), directories };
}

/**
 * The graph with what manifests and READMEs say now, where it still has what they said before, or what is generated where
 * they say nothing. Texts of others stay. The same graph if nothing changes.
 */
export function renewProjectTexts<T extends GraphHead>(graph: T, before: ProjectTexts, after: ProjectTexts): T {
  const { description, frameworks = [], name } = graph.project;
  const generated = generatedDescription(name);
  const isOurs = description === generated || description === before.description;
  const project = {
    ...graph.project,
    ...(isOurs ? { description: after.description ?? generated } : {}),
    ...(isSameList(frameworks, before.frameworks) ? { frameworks: after.frameworks } : {}),
  };
  const layers = graph.layers.map((layer) => {
    const directory = directoryOf(layer);
    if (directory === undefined) return layer;
    const plain = topLayer(`${directory}/`).description;
    const isRenewed = layer.description === plain || layer.description === before.directories.get(directory);
    return isRenewed ? { ...layer, description: after.directories.get(directory) ?? plain } : layer;
  });
  const next = { ...graph, project, layers };
  return JSON.stringify([project, layers]) === JSON.stringify([graph.project, graph.layers]) ? graph : next;
}

/** Where no manifest and no README says anything. */
export function generatedDescription(name: string): string {
  return `Structure of ${name}, as its source files show it`;
}

/** The top directory that a layer was made for. */
function directoryOf({ id, name }: Layer): string | undefined {
  return id === topLayer(`${name}/`).id && id !== topLayer("").id ? name : undefined;
}

const isSameList = (a: readonly string[], b: readonly string[]) => JSON.stringify(a) === JSON.stringify(b);

function manifestDescription(texts: ReadonlyMap<string, string>): string | undefined {
  for (const [name, read] of MANIFESTS) {
    for (const [path, text] of texts) {
      const found = name.test(path) ? read(text) : undefined;
      const sentence = found === undefined ? undefined : firstSentence([found], "plain");
      if (sentence !== undefined) return sentence;
    }
  }
  return undefined;
}

/** The first paragraph that is one: no title, badge, table, quotation or HTML. */
function readmeSentence(path: string, text: string): string | undefined {
  const lines = text
    .slice(0, 20_000)
    .replace(/<!--[\s\S]*?-->/g, "")
    .split(/\r?\n/);
  const sentences = lines.filter((line) => !/^\s*(?:<|\[?!\[|\||>|\.\. |\[[^\]]+\]:|:\w+:)/.test(line));
  return firstSentence(sentences, path.toLowerCase().endsWith(".rst") ? "rst" : "markdown");
}

function jsonDescription(text: string): string | undefined {
  return asString(asObject(parseJsonc(text))?.description);
}

/** `key = "value"` of a table; nothing more of TOML is needed. */
function tomlValue(text: string, table: RegExp, key: string): string | undefined {
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[{1,2}([^\][]+)\]/.exec(line)?.[1]?.trim();
    if (header !== undefined) isInside = table.test(header);
    const [, name, double, single] = /^\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(line) ?? [];
    if (isInside && name === key) return double?.replace(/\\(["\\])/g, "$1") ?? single;
  }
  return undefined;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
