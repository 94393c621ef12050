import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { git, withoutGitEnv } from "../git/run.js";
import { programPath } from "../platform/program-path.js";
import { readBytes } from "../store/files.js";
import { markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";
import { type HookEnvironment, isTracked } from "./environment.js";
import type { HookManager, ManagerPlan } from "./manager.js";
import type { FileStep } from "./plan.js";
import { slotLine, template } from "./templates.js";
import { firstItem, firstLine, isMap, parseYaml, sameData } from "./yaml.js";

const FOLDERS = ["", ".", ".config/"];
const nameOf = (event: Event) => `ua-hooks ${event}`;

/**
 * lefthook rewrites its hook files, and renames existing ones, for every event in its config. It keeps its config, of
 * which `lefthook-local.yml` is this clone's part. Only events that the config already has get a job there: for the
 * others it leaves our own hook files alone, which are faster and print nothing.
 */
export const lefthook: HookManager = {
  name: "lefthook",
  detect: ({ top }) => configFile(top, "lefthook") !== null,
  plan: async (environment, ask) => {
    const program = environment.mayRun ? await findProgram(environment) : null;
    const events = theirEvents(environment, program);
    const file = localFile(environment.top);
    if (events.length === 0) return { steps: lefthook.undo(environment) };
    if (!/\.ya?ml$/.test(file))
      return { steps: [], notes: [`${file} is not valid YAML: lefthook's next install removes our hooks`] };
    const tracked = await isTracked(environment, file);
    const now = readBytes(file, environment.top);
    const text = withJobs(environment, now, events);
    const wanted = text !== null && (await isOnlyMore(now, text)) ? Buffer.from(text, "latin1") : null;
    const notes = [`${file} was not changed: lefthook's next install removes our hooks`];
    if (wanted === null || (tracked && !(await ask(file, "jobs that do nothing without ua-hooks"))))
      return { steps: [], notes };
    const steps: FileStep[] = [{ file, what: `jobs for ${events.join(", ")}`, text: wanted }];
    if (program !== null && now !== text) for (const step of installStep(environment, program)) steps.push(step);
    return { steps, exclude: tracked ? [] : [file] } satisfies ManagerPlan;
  },
  undo: ({ top }) => {
    const file = localFile(top);
    const text = readBytes(file, top);
    const rest = withoutJobs(text);
    if (rest === text) return [];
    return [{ file, what: "our jobs removed", text: rest === "" ? null : Buffer.from(rest, "latin1") }];
  },
  files: ({ top }) => configNames("lefthook-local").map((name) => join(top, name)),
  holds: ({ top }) => EVENTS.filter((event) => readBytes(localFile(top), top).includes(`ua_hooks ${event} {0}`)),
};

/** In the order in which lefthook looks for them. */
function configNames(name: string): string[] {
  return FOLDERS.flatMap((folder) =>
    ["yml", "yaml", "json", "jsonc", "toml"].map((extension) => `${folder}${name}.${extension}`),
  );
}

function configFile(top: string, name: string): string | null {
  const found = configNames(name).find((each) => existsSync(join(top, each)));
  return found === undefined ? null : join(top, found);
}

/** The existing file, else one named after the main config. */
function localFile(top: string): string {
  const there = configFile(top, "lefthook-local");
  if (there !== null) return there;
  const main = configFile(top, "lefthook") ?? join(top, "lefthook.yml");
  return join(dirname(main), `${basename(main).replace(/lefthook\..*$/, "lefthook-local")}.yml`);
}

/**
 * The program: lefthook's own variable, the project's dependency, or what PATH has. Never a file that a checkout can have brought
 * (invariant "a checkout runs no code").
 */
async function findProgram({ top }: HookEnvironment): Promise<string | null> {
  const named = [process.env.LEFTHOOK_BIN ?? "", join(top, "node_modules", ".bin", "lefthook")];
  const found = programPath(top).split(delimiter);
  for (const program of [...named, ...found.map((dir) => join(dir, "lefthook"))]) {
    if (!isAbsolute(program) || !isFile(program)) continue;
    if (!(await isFromCheckout(top, program)) && run(top, program, ["version"]) !== null) return program;
  }
  return null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Below the work tree, only what a package manager put into a node_modules of which git tracks nothing. */
async function isFromCheckout(top: string, program: string): Promise<boolean> {
  const real = relative(realpathSync(top), realpathSync(program));
  const isInside = (path: string) => !path.startsWith(`..${sep}`) && !isAbsolute(path);
  if (!isInside(relative(top, program)) && !isInside(real)) return false;
  if (isInside(real) && !real.startsWith(`node_modules${sep}`)) return true;
  const tracked = await git(top, ["ls-files", "-z", "--", "node_modules"]).catch(() => null);
  return tracked === null || tracked.length > 0;
}

function run(top: string, program: string, args: readonly string[]): string | null {
  const env = { ...process.env, ...withoutGitEnv(), PATH: programPath(top) };
  const { status, stdout } = process
    .getBuiltinModule("node:child_process")
    .spawnSync(program, args, { cwd: top, env, encoding: "utf8", timeout: 20_000 });
  return status === 0 ? stdout : null;
}

/** `lefthook dump` prints the merged config. Without the program: the events of the hook files that it wrote. */
function theirEvents(environment: HookEnvironment, program: string | null): Event[] {
  const dumped = program === null ? null : run(environment.top, program, ["dump", "--format", "json"]);
  if (dumped === null) return EVENTS.filter((event) => isLefthooks(readBytes(join(environment.nativeDir, event))));
  try {
    const config: unknown = JSON.parse(dumped);
    return EVENTS.filter((event) => isMap(config) && hasTheirs(config[event]));
  } catch {
    return [];
  }
}

export function isLefthooks(text: string): boolean {
  return text.includes("call_lefthook");
}

function hasTheirs(hook: unknown): boolean {
  if (!isMap(hook)) return false;
  const jobs = Array.isArray(hook.jobs) ? hook.jobs.filter((job) => !isOurJob(job)) : [];
  return jobs.length > 0 || isMap(hook.commands) || isMap(hook.scripts);
}

const isOurJob = (job: unknown) => isMap(job) && job.name === "ua-hooks";

function withoutJobs(text: string): string {
  return EVENTS.reduce((rest, event) => withoutBlock(rest, nameOf(event)), withoutBlock(text));
}

/** An event that exists in the file gets our job in its list; the others get one block at the end. */
function withJobs(environment: HookEnvironment, now: string, events: readonly Event[]): string | null {
  let text = withoutJobs(now);
  const own: string[] = [];
  for (const event of events) {
    const job = jobLines(environment, event);
    const key = new RegExp(`^(["']?)${event}\\1[ \\t]*:[ \\t]*(#.*)?$\\n?`, "m").exec(text);
    if (key === null) {
      if (new RegExp(`^["']?${event}["']?[ \\t]*:`, "m").test(text)) return null; // flow style on one line is not edited
      own.push(`${event}:`, "  jobs:", ...job.map((line) => `    ${line}`));
    } else if (!key[0].endsWith("\n"))
      return null; // the file ends in the middle of a line
    else text = insideKey(text, key.index + key[0].length, event, job);
  }
  return own.length === 0 ? text : withBlockLast(text, markedBlock(own));
}

function insideKey(text: string, at: number, event: Event, job: readonly string[]): string {
  const line = firstLine(text, at);
  const indent = /^[ \t]+/.exec(line?.text ?? "")?.[0] ?? "  ";
  const end = /^[^\s#]/m.exec(text.slice(at));
  const region: [number, number] = [at, end === null ? text.length : at + end.index];
  const item = firstItem(text, new RegExp(`^${indent}jobs[ \\t]*:[ \\t]*(#.*)?\\n`, "m"), region);
  const lines = item === null ? ["jobs:", ...job.map((each) => `  ${each}`)] : job;
  const block = markedBlock(lines, nameOf(event), item?.indent ?? indent);
  const where = item?.at ?? at;
  return text.slice(0, where) + block + text.slice(where);
}

function jobLines({ project }: HookEnvironment, event: Event): string[] {
  const command = slotLine(project.stateDir, "lefthook", event);
  const lines = template("lefthook.yml", project.stateDir).trimEnd().replaceAll("@command@", command).split("\n");
  return event === "post-rewrite" ? [...lines, "  use_stdin: true"] : lines;
}

/** Whether the new file contains exactly the old data plus our jobs. */
async function isOnlyMore(before: string, after: string): Promise<boolean> {
  const [old, now] = await Promise.all([parseYaml(withoutJobs(before)), parseYaml(after)]);
  if (!isMap(now) || old === undefined) return false;
  const rest = Object.fromEntries(
    Object.entries(now).flatMap(([key, hook]) => {
      if (!isMap(hook) || !Array.isArray(hook.jobs)) return [[key, hook]];
      const { jobs, ...others } = hook;
      const theirs = jobs.filter((job: unknown) => !isOurJob(job));
      const had = isMap(old) && isMap(old[key]) && "jobs" in old[key];
      const left = had || theirs.length > 0 ? { ...others, jobs: theirs } : others;
      const known = isMap(old) && key in old;
      return known || Object.keys(left).length > 0
        ? [[key, known && Object.keys(left).length === 0 ? (isMap(old) ? old[key] : null) : left]]
        : [];
    }),
  );
  return sameData(sorted(rest), sorted(isMap(old) ? old : {}));
}

/** Independent of the order of keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/**
 * lefthook stores a checksum of its config and would rewrite its files at the next hook: run it now, before our block
 * is added.
 */
function installStep({ nativeDir, project, top }: HookEnvironment, program: string): FileStep[] {
  const checksum = join(project.commonDir, "info", "lefthook.checksum");
  return [
    {
      file: nativeDir,
      what: "lefthook install, so that its hook files match its config",
      run: () => {
        const back = [remember(nativeDir), rememberFile(checksum)];
        run(top, program, ["install"]);
        return () => {
          for (const each of back) each();
        };
      },
    },
  ];
}

function remember(dir: string): () => void {
  const files = existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : [];
  const back = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile()).map(rememberFile);
  return () => {
    for (const name of existsSync(dir) ? readdirSync(dir) : []) {
      if (!files.includes(join(dir, name))) rmSync(join(dir, name), { recursive: true, force: true });
    }
    for (const each of back) each();
  };
}

function rememberFile(file: string): () => void {
  if (!existsSync(file)) return () => rmSync(file, { force: true });
  const [bytes, mode] = [readFileSync(file), statSync(file).mode & 0o777];
  return () => {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, bytes, { mode });
  };
}
