import { baseOf } from "../graph/resolve/file-index.js";

/** The scripts, targets or recipes of one file. */
export interface Manifest {
  /** By name; what each one runs, as far as that tells it apart from the others. */
  scripts: Map<string, string>;
  /** Names that run although they are no scripts: programs of dependencies. */
  programs: ReadonlySet<string>;
  /** Other files or rules can add to it: that it lacks a name says nothing. */
  isOpen: boolean;
}

/** What a package.json, Makefile or justfile offers; null if it cannot be read. Pure. */
export function parseManifest(path: string, text: string): Manifest | null {
  const name = baseOf(path).toLowerCase();
  if (name === "package.json") return parsePackage(text);
  return name.endsWith("justfile") ? parseJustfile(text) : parseMakefile(text);
}

function parsePackage(text: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (!isRecord(value)) return null;
    const scripts = isRecord(value.scripts) ? value.scripts : {};
    const dependencies = [value.dependencies, value.devDependencies, value.optionalDependencies].filter(isRecord);
    const programs = dependencies
      .flatMap((list) => Object.keys(list))
      .flatMap((one) => [one, one.slice(one.lastIndexOf("/") + 1)]);
    const named = Object.entries(scripts).flatMap(([key, run]) =>
      typeof run === "string" ? [[key, run] as const] : [],
    );
    return { scripts: new Map(named), programs: new Set(programs), isOpen: false };
  } catch {
    return null; // no JSON
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `target other: needs`, with its recipe; a pattern rule, a name in a variable and an included file can make targets of any name. */
function parseMakefile(text: string): Manifest {
  const scripts = new Map<string, string>();
  let isOpen = false;
  let current: string[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    if (line.startsWith("\t")) {
      for (const name of current) scripts.set(name, `${scripts.get(name) ?? ""}\n${line.trim()}`);
      continue;
    }
    if (/^\s*-?s?include\s/.test(line)) isOpen = true;
    const colon = line.search(/[:=#]/);
    if (colon < 1 || !/^::?(?![=:])/.test(line.slice(colon, colon + 3)) || /^\s/.test(line)) continue;
    const needs = line.slice(colon).replace(/^::?/, "").trim();
    current = [];
    for (const name of line.slice(0, colon).trim().split(/\s+/)) {
      if (name === ".PHONY") for (const phony of needs.split(/\s+/)) scripts.set(phony, scripts.get(phony) ?? "");
      if (/[%$]/.test(name)) isOpen = true;
      else if (!name.startsWith(".")) {
        scripts.set(name, `${scripts.get(name) ?? ""}\n${needs}`);
        current.push(name);
      }
    }
  }
  return { scripts, programs: new Set(), isOpen };
}

/** `recipe argument='x': needs`, `alias b := build`; an import or a module can have any. */
function parseJustfile(text: string): Manifest {
  const scripts = new Map<string, string>();
  let isOpen = false;
  let current = "";
  for (const line of text.split("\n")) {
    if (/^\s+\S/.test(line)) {
      if (current !== "") scripts.set(current, `${scripts.get(current) ?? ""}\n${line.trim()}`);
      continue;
    }
    if (/^(?:import|mod)\??\s/.test(line)) isOpen = true;
    const [, alias] = /^alias\s+([\w-]+)\s*:=/.exec(line) ?? [];
    if (alias !== undefined) scripts.set(alias, line.trim());
    const [, recipe] = /^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)/.exec(line) ?? [];
    current = recipe ?? "";
    if (recipe !== undefined) scripts.set(recipe, scripts.get(recipe) ?? "");
  }
  return { scripts, programs: new Set(), isOpen };
}
