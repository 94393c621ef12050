import { printable } from "../printable.js";
import { markdownSpans, type Span } from "./markdown.js";

/** Something that a line of a document names. Whether it is there, or ever was, is another question. */
export type Citation = PathCitation | ScriptCitation | SymbolCitation;
export type CitationKind = Citation["kind"];

interface Place {
  /** From 1. */
  line: number;
  /** Where the cited text begins, from 0, and that text: what a correction replaces. */
  column: number;
  written: string;
}

export interface PathCitation extends Place {
  kind: "path";
  /** As written, without anchor, query and line number; of a link decoded. */
  path: string;
  isLink: boolean;
}

export interface ScriptCitation extends Place {
  kind: "script";
  /** As written: `npm run lint`. */
  command: string;
  tool: ScriptTool;
  script: string;
  /** Where an earlier command of the line or fence has gone (`cd packages/a`); "/" is the root of the repository. */
  directory: string | null;
}

export interface SymbolCitation extends Place {
  kind: "symbol";
  /** Qualified with dots, without parentheses: `Queue.push`. */
  name: string;
  /** It was written with parentheses or with its class: nothing but code looks like this. */
  isPlainCode: boolean;
}

/** What looks up a script, by the file that has it. */
export type ScriptTool = "package" | "make" | "just";

/** More than anybody reads: of a longer document the first ones count. */
const MOST_CITATIONS = 20_000;

/** Rises when the same text gives other citations. */
export const FINDER = 2;

/** All citations of a Markdown text, in order. Pure; linear in the length of the text. */
export function citationsOf(text: string): Citation[] {
  const found: Citation[] = [];
  let shell: Shell = { fence: -1, directory: null, hasCloned: false };
  for (const span of markdownSpans(text)) {
    if (span.text.length > MOST_SPAN || span.text !== printable(span.text)) continue;
    if (span.fence !== undefined && span.fence !== shell.fence)
      shell = { fence: span.fence, directory: null, hasCloned: false };
    for (const citation of citationsIn(span, shell)) {
      if (found.length === MOST_CITATIONS) return found;
      found.push(citation);
    }
  }
  return found;
}

const MOST_SPAN = 400;

function citationsIn(span: Span, shell: Shell): Citation[] {
  if (span.kind === "shell") return commandsIn(span, shell);
  return span.kind === "link" ? linkIn(span) : codeIn(span);
}

function linkIn(span: Span): PathCitation[] {
  const written = /^[^?#]*/.exec(span.text)?.[0] ?? "";
  if (written === "" || /^[a-z][a-z0-9+.-]*:/i.test(written) || written.startsWith("//")) return [];
  const path = decoded(written);
  if (path === null || path !== printable(path) || /[<>{}*|"\\]/.test(path)) return [];
  return [{ kind: "path", path, isLink: true, ...placeOf(span, 0, written.length) }];
}

function decoded(written: string): string | null {
  try {
    return decodeURIComponent(written);
  } catch {
    return null; // a stray percent sign
  }
}

const placeOf = ({ line, column, text }: Span, start: number, length: number): Place => ({
  line,
  column: column + start,
  written: text.slice(start, start + length),
});

function codeIn(span: Span): Citation[] {
  if (/\s/.test(span.text)) {
    const commands = commandsIn(span, { fence: -1, directory: null, hasCloned: false });
    return commands.length > 0 ? commands : symbolIn(span);
  }
  const path = pathIn(span);
  return path === null ? symbolIn(span) : [path];
}

/** Endings of files that are named without a folder; `Queue.push` is none. */
const ENDINGS = new Set(
  (
    "adoc astro bash bat bats bazel bzl c cc cfg cjs clj cmake cmd conf cpp cs css csv cts cue cxx dart dockerfile ejs env erb ex exs " +
    "fish fs gemspec go gradle graphql groovy h hbs hcl hh hpp hs html hxx iml ini ipynb java jl js json json5 jsonc jsx just kt kts " +
    "less lock lua m md mdc mdx mjs mk mm mod mts nim nix nu odin patch php pl plist po prisma properties proto ps1 py pyi pyx r rb rs " +
    "rst sass sbt scala scss sh sln sol sql sum svelte svg swift tcl tf tfvars toml ts tsx txt vim vue wasm xml yaml yml zig zsh"
  ).split(" "),
);
const NAMES = new Set(
  (
    "Makefile GNUmakefile makefile Justfile justfile Dockerfile Containerfile Procfile Gemfile Rakefile Brewfile Vagrantfile " +
    "Jenkinsfile Tiltfile Earthfile LICENSE COPYING CODEOWNERS NOTICE"
  ).split(" "),
);

/** `src/a.ts`, `src/a.ts:12-20`, `./docs/`, `package.json`: what has a slash, or is called like a file. */
function pathIn(span: Span): PathCitation | null {
  const written = span.text.replace(/(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$/, "");
  if (!/^[\p{L}\p{N}_.@(+[][\p{L}\p{N}_.@+~()[\]/-]*$/u.test(written) || /\/\/|\.\.\.|^\.+\/?$|\(\)$/.test(written))
    return null;
  const name = written.slice(written.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : null;
  const isFile = (ending !== null && ENDINGS.has(ending)) || NAMES.has(name) || /^\.[a-z]/.test(name);
  if (!isFile && !written.includes("/")) return null;
  return { kind: "path", path: written, isLink: false, ...placeOf(span, 0, written.length) };
}

/** `createServer()`, `Queue.push`, `queue::push`, `Queue#push`, `createServer(port, host)`; a bare name only if no word looks like it. */
function symbolIn(span: Span): SymbolCitation[] {
  const found = /^(?:new )?([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)[?!]?(\([^()]*\))?$/.exec(span.text);
  if (found === null) return [];
  const [whole, written = "", call] = found;
  const name = written.replaceAll(/::|#/g, ".").replace(".prototype.", ".");
  const isPlainCode = call !== undefined || name.includes(".");
  if (!isPlainCode && !isDistinct(name)) return [];
  return [{ kind: "symbol", name, isPlainCode, ...placeOf(span, whole.indexOf(written), written.length) }];
}

/** Two words in one, as nobody writes outside of code. */
const isDistinct = (name: string): boolean =>
  name.length >= 6 && /[a-z0-9][A-Z]|[a-zA-Z]_[a-zA-Z]/.test(name) && !/^[A-Z0-9_]+$/.test(name);

/** Where the commands of one fence run. undefined: nobody knows. */
interface Shell {
  fence: number;
  directory: string | null | undefined;
  hasCloned: boolean;
}

/** The scripts that a line of shell starts; `shell` follows its `cd`. */
function commandsIn(span: Span, shell: Shell): ScriptCitation[] {
  const found: ScriptCitation[] = [];
  if (/^\s*(?:#|\/\/)/.test(span.text)) return found;
  for (const part of span.text.matchAll(/[^&|;]+/g)) {
    const words = Array.from(part[0].matchAll(/\S+/g), ({ 0: text, index }) => ({ text, start: part.index + index }));
    const comment = words.findIndex(({ text }) => text.startsWith("#"));
    const command = comment < 0 ? words : words.slice(0, comment);
    while (/^(?:[$%>\u276f]|sudo|time|then|do|[A-Za-z_]\w*=\S*)$/.test(command[0]?.text ?? "")) command.shift();
    const names = command.map(({ text }) => text);
    if (names[0] === "git" && names[1] === "clone") shell.hasCloned = true;
    if (names[0] === "cd" || names[0] === "pushd" || names[0] === "popd") changeDirectory(shell, names);
    for (const { tool, at } of scriptsOf(names)) {
      const [first, word] = [command[0], command[at]];
      if (first === undefined || word === undefined || shell.directory === undefined) continue;
      const script = word.text;
      const text = tool === "package" ? names.slice(0, at + 1).join(" ") : `${names[0]} ${script}`;
      found.push({
        kind: "script",
        command: text,
        tool,
        script,
        directory: shell.directory,
        ...placeOf(span, word.start, script.length),
      });
    }
  }
  return found;
}

function changeDirectory(shell: Shell, [command, target = ""]: readonly string[]): void {
  if (command === "cd" && shell.hasCloned && /^[\w.-]+\/?$/.test(target)) {
    shell.directory = "/";
    shell.hasCloned = false;
  } else if (
    command !== "cd" ||
    shell.directory === undefined ||
    !/^[\w./@-]+$/.test(target) ||
    /^\/|\.\./.test(target)
  ) {
    shell.directory = undefined;
  } else
    shell.directory = shell.directory === null || shell.directory === "/" ? target : `${shell.directory}/${target}`;
}

/** What the package managers do themselves, where a script may be named without `run`. */
const OWN_COMMANDS = new Set(
  (
    "add approve-builds audit bin cache cat-file catalog ci completion config constraints create dedupe deploy dlx doctor env exec explain " +
    "fetch fund generate-lock-entry global help i import info init install it lb link list list-workspace ll licenses licenses-list ln login logout ls node npm " +
    "outdated owner pack patch patch-commit patch-remove pkg plugin prefix prune publish rb rebuild recursive remove restart rm root run " +
    "search self-update set setup start store tag team test t tst up unlink unplug uninstall update upgrade upgrade-interactive version versions view why " +
    "workspace workspaces"
  ).split(" "),
);
/** Of those, what runs a script of the same name. */
const LIFECYCLE = new Set(["test", "start", "stop", "restart"]);
const ELSEWHERE =
  /^(?:-w|-C|-F|-r|--(?:workspaces?|prefix|filter|recursive|dir|cwd|parallel|stream|global)(?:=.*)?|-g)$/;

/** Which words of a command are names of scripts. */
function scriptsOf(words: readonly string[]): { tool: ScriptTool; at: number }[] {
  const [program = "", ...rest] = words;
  if (program === "make" || program === "gmake") return targetsOf(words);
  if (program === "just") return rest[0] !== undefined && isScriptName(rest[0]) ? [{ tool: "just", at: 1 }] : [];
  if (!["npm", "pnpm", "yarn", "bun"].includes(program)) return [];
  const end = words.indexOf("--");
  if (words.slice(0, end < 0 ? words.length : end).some((word) => ELSEWHERE.test(word))) return [];
  const at = words.findIndex((word, index) => index > 0 && !/^(?:-s|--silent)$/.test(word));
  const word = words[at] ?? "";
  if (word === "run" || word === "run-script") {
    const name = words.findIndex((one, index) => index > at && !/^(?:-s|--silent)$/.test(one));
    return isScriptName(words[name] ?? "") && !(program === "bun" && /\.\w+$/.test(words[name] ?? ""))
      ? [{ tool: "package", at: name }]
      : [];
  }
  if (program === "bun" || !isScriptName(word)) return [];
  if (LIFECYCLE.has(word)) return [{ tool: "package", at }];
  return program === "npm" || OWN_COMMANDS.has(word) ? [] : [{ tool: "package", at }];
}

function targetsOf(words: readonly string[]): { tool: ScriptTool; at: number }[] {
  if (words.some((word) => /^(?:-C|-f|--directory|--file|--makefile)/.test(word))) return [];
  return words.flatMap((word, at) => (at > 0 && isScriptName(word) ? [{ tool: "make" as const, at }] : []));
}

const isScriptName = (word: string): boolean =>
  /^[A-Za-z0-9_][\w:.@/-]*$/.test(word) && !word.endsWith(":") && !word.includes("...");
