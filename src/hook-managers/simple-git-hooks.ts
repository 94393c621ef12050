import { existsSync } from "node:fs";
import { join } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { parseJson } from "../store/check.js";
import { readBytes } from "../store/files.js";
import { withoutBlock } from "../store/marked-block.js";
import type { HookEnvironment } from "./environment.js";
import type { HookManager } from "./manager.js";
import type { FileStep } from "./plan.js";
import { slotLine } from "./templates.js";
import { isMap, sameData } from "./yaml.js";

/**
 * simple-git-hooks writes a file for every hook in its config and deletes all others. So only its config lasts; it is
 * tracked and needs confirmation. Our line goes before the existing command. A config that is a program is not edited.
 */
export const simpleGitHooks: HookManager = {
  name: "simple-git-hooks",
  detect: ({ top }) => sourceOf(top) !== null,
  plan: async (environment, ask) => {
    const source = sourceOf(environment.top);
    if (source === null) return { steps: [] };
    const { file, section } = source;
    if (section === null) return { steps: [], notes: [`${file} is a program and cannot be edited: ${LOST}`] };
    const text = readBytes(file, environment.top);
    const wanted = withLines(environment, text, section);
    if (wanted === text) return { steps: hookFileSteps(environment, { wanted: true }) };
    if (wanted === null) return { steps: [], notes: [`${file} could not be read: ${LOST}`] };
    if (!(await ask(file, "lines in simple-git-hooks' commands that do nothing without ua-hooks"))) {
      return { steps: [], notes: [`${file} was not changed: ${LOST} (--yes writes it)`] };
    }
    const step = { file, what: "our line in simple-git-hooks' commands", text: Buffer.from(wanted, "latin1") };
    return { steps: [step, ...hookFileSteps(environment, { wanted: true })] };
  },
  undo: (environment) => {
    const file = sourceOf(environment.top)?.file;
    const text = file === undefined ? "" : readBytes(file, environment.top);
    const rest = withoutLines(text);
    const hookFiles = hookFileSteps(environment, { wanted: false });
    if (file === undefined || rest === text) return hookFiles;
    const what = "our lines removed from simple-git-hooks' commands";
    return [{ file, what, text: Buffer.from(rest, "latin1") }, ...hookFiles];
  },
  files: ({ top }) => [...PROGRAMS, ...FILES, "package.json"].map((name) => join(top, name)),
  holds: ({ top }) => {
    const text = readBytes(sourceOf(top)?.file ?? "", top);
    return EVENTS.filter((event) => ours(event).test(text));
  },
};

const LOST = "simple-git-hooks' next install removes our hooks";
const PROGRAMS = [".simple-git-hooks", "simple-git-hooks"].flatMap((name) =>
  ["cjs", "js", "mjs"].map((ext) => `${name}.${ext}`),
);
const FILES = [".simple-git-hooks.json", "simple-git-hooks.json"];

interface ConfigSource {
  file: string;
  /** What precedes the object of hooks; null if the file is not JSON. */
  section: RegExp | null;
}

/** Searches the config in the order of simple-git-hooks. */
function sourceOf(top: string): ConfigSource | null {
  const program = PROGRAMS.find((name) => existsSync(join(top, name)));
  if (program !== undefined) return { file: join(top, program), section: null };
  const json = FILES.find((name) => existsSync(join(top, name)));
  if (json !== undefined) return { file: join(top, json), section: /^\s*(?=\{)/ };
  const manifest = join(top, "package.json");
  const section = /"simple-git-hooks"\s*:\s*(?=\{)/;
  return section.test(readBytes(manifest, top)) ? { file: manifest, section } : null;
}

export function isSimpleGitHooks(text: string): boolean {
  return text.includes("SKIP_SIMPLE_GIT_HOOKS");
}

/** Its install copied our line to the hook files as well: update it there, or remove it. */
function hookFileSteps({ nativeDir, project }: HookEnvironment, { wanted }: { wanted: boolean }): FileStep[] {
  return EVENTS.flatMap((event) => {
    const file = join(nativeDir, event);
    const text = readBytes(file);
    const line = new RegExp(`^ua_hooks\\(\\) \\{.*\\}; ua_hooks ${event} "\\$@"$\\n?`, "m").exec(text);
    if (line === null) return [];
    const now = wanted
      ? `${slotLine(project.stateDir, "simple-git-hooks", event)} "$@"${line[0].endsWith("\n") ? "\n" : ""}`
      : "";
    const rest = text.replace(line[0], () => now);
    if (rest === text) return [];
    // A hook with only our line: without it the file would not exist.
    const nothing = !wanted && withoutBlock(rest).endsWith('. "$SIMPLE_GIT_HOOKS_RC"\nfi\n');
    const what = `${event}: our line ${wanted ? "updated" : "removed"}`;
    return [{ file, what, text: nothing ? null : Buffer.from(rest, "latin1") }];
  });
}

/** Our line of any version, as escaped in JSON, at the start of a command or alone. */
const ours = (event: Event) =>
  new RegExp(`ua_hooks\\(\\) \\{(?:(?!ua_hooks\\(\\)).)*?\\}; ua_hooks ${event} \\\\"\\$@\\\\"(\\\\n)?`);

/** A hook with only our line, as the last of its section (a formatter may have sorted them) or not. */
const entries = (event: Event) => {
  const pair = `"${event}"\\s*:\\s*"${ours(event).source}"`;
  return [new RegExp(`,\\s*${pair}(?=\\s*\\})`), new RegExp(`\\s*${pair},?`)];
};

function withoutLines(text: string): string {
  return EVENTS.reduce((rest, event) => {
    const line = ours(event).exec(rest);
    if (line === null) return rest;
    if (line[1] !== undefined) return rest.replace(ours(event), "");
    const entry = entries(event).find((each) => each.test(rest));
    return entry === undefined ? rest : rest.replace(entry, "");
  }, text);
}

function withLines({ project }: HookEnvironment, now: string, section: RegExp): string | null {
  let text = withoutLines(now);
  const before = text;
  for (const event of [...EVENTS].reverse()) {
    const line = `${slotLine(project.stateDir, "simple-git-hooks", event)} "$@"`;
    const start = section.exec(text);
    if (start === null) return null;
    const brace = start.index + start[0].length + 1;
    const there = new RegExp(`"${event}"\\s*:\\s*"`).exec(text.slice(brace, closingBrace(text, brace)));
    const escaped = (value: string) => JSON.stringify(value).slice(1, -1);
    const space = /^\s*/.exec(text.slice(brace))?.[0] ?? "";
    const comma = text[brace + space.length] === "}" ? "" : ",";
    const [at, added] =
      there === null
        ? [brace, `${space}"${event}": "${escaped(line)}"${comma}`]
        : [brace + there.index + there[0].length, escaped(`${line}\n`)];
    text = text.slice(0, at) + added + text.slice(at);
  }
  return withoutLines(text) === before && isJson(text) && sameKeys(before, text) ? text : null;
}

/** The end of the object that starts before `at`; braces in strings do not count. */
function closingBrace(text: string, at: number): number {
  let depth = 1;
  for (const match of text.slice(at).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (match[0] === "{") depth++;
    else if (match[0] === "}" && --depth === 0) return at + match.index;
  }
  return text.length;
}

function isJson(text: string): boolean {
  return parseJson(text, isMap) !== null;
}

/** Whether everything except the hooks is unchanged. */
function sameKeys(before: string, after: string): boolean {
  const rest = (text: string) => {
    const value = parseJson(text, isMap) ?? {};
    const hooks = isMap(value["simple-git-hooks"]) ? value["simple-git-hooks"] : value;
    for (const event of EVENTS) delete hooks[event];
    return value;
  };
  return sameData(rest(before), rest(after));
}
