import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { errnoOf, isUaError, isVersionError, messageOf, UaError } from "../errors.js";
import { codeFolder, codeForTests, withCodeCache } from "../platform/code-cache.js";
import { keepOwnRights } from "../store/files.js";
import { toUserError } from "../store/user-error.js";
import type { Command, Invocation } from "./command.js";
import { commandHelp, generalHelp } from "./help.js";
import { asTyped, createOut, launcherHome, onTerminal, paint, printable } from "./output.js";
import { nearest } from "./suggest.js";

/** Loaded one by one: `pending` must not load `install`. In the order of the help. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  install: async () => (await import("./install.js")).install,
  uninstall: async () => (await import("./uninstall.js")).uninstall,
  status: async () => (await import("./status.js")).status,
  doctor: async () => (await import("./doctor.js")).doctor,
  pending: async () => (await import("./pending.js")).pending,
  run: async () => (await import("./run.js")).run,
  export: async () => (await import("./export.js")).exportCommand,
  import: async () => (await import("./import.js")).importCommand,
  share: async () => (await import("./share.js")).share,
  claim: async () => (await import("./claim.js")).claim,
  apply: async () => (await import("./apply.js")).apply,
  ack: async () => (await import("./ack.js")).ack,
  release: async () => (await import("./release.js")).release,
  record: async () => (await import("./record.js")).record,
  context: async () => (await import("./context.js")).context,
  registry: async () => (await import("./registry.js")).registry,
  mcp: async () => (await import("./mcp.js")).mcp,
  docs: async () => (await import("./docs.js")).docs,
  check: async () => (await import("./check.js")).check,
  why: async () => (await import("./why.js")).why,
  verify: async () => (await import("./verify.js")).verify,
  replay: async () => (await import("./replay.js")).replay,
  report: async () => (await import("./report.js")).report,
  log: async () => (await import("./log.js")).log,
  pause: async () => (await import("./pause.js")).pause,
  resume: async () => (await import("./resume.js")).resume,
  trust: async () => (await import("./trust.js")).trust,
  agent: async () => (await import("./agent.js")).agent,
  completions: async () => (await import("./completions.js")).completionsFor(COMMANDS),
  hook: async () => (await import("./hook.js")).hook,
  "merge-driver": async () => (await import("./merge-driver.js")).mergeDriver,
};

const COMMON = {
  json: { type: "boolean" },
  cwd: { type: "string" },
  help: { type: "boolean", short: "h" },
  debug: { type: "boolean" },
} as const;

/** See launcherHome; an error is printed where the command that found it is no longer known. */
let home: string | null = null;

async function main(argv: string[]): Promise<number> {
  ignoreClosed(process.stdout);
  const [name, ...rest] = commandFirst(argv);
  const here = currentFolder();
  if (here === null && (name === "agent" || name === "hook")) return 0; // as for every other error of theirs
  if (here === null) throw new UaError("not-a-repository", "the current folder is gone", "change to one that exists");
  home = await launcherHome(here);
  if (name === "--version" || name === "-v") return print(UA_HOOKS_VERSION);
  if (name === undefined) return alone();
  const [about = ""] = name === "help" ? rest : [];
  if (about !== "") return main([about, "--help"]);
  if (name === "help" || name === "--help" || name === "-h") return print(await generalHelp(COMMANDS));
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) throw new UaError("usage", `unknown command "${name}"`, suggestion(name));
  return withCodeCache(codeNear(here), codeName(name, rest), async () => runCommand(name, await load(), rest));
}

/** Their verbs have little in common. */
const WITH_VERBS = ["record", "registry", "share"];

/** What a command's compiled code is kept under: it contains the functions that ran first. */
function codeName(name: string, [verb = ""]: readonly string[]): string {
  return WITH_VERBS.includes(name) && /^[a-z-]{1,20}$/.test(verb) && !verb.startsWith("-") ? `${name}-${verb}` : name;
}

/** The reader has gone (`ua-hooks log | head -1`): what the command does goes on. */
function ignoreClosed(stream: NodeJS.WriteStream): void {
  if (stream.listenerCount("error") > 0) return;
  stream.on("error", (error) => {
    if (errnoOf(error) !== "EPIPE") throw error;
  });
}

/** `ua-hooks --cwd DIR status`, as with git: options before the command are its options. */
function commandFirst(given: string[]): string[] {
  const at = given.findIndex((arg, index) => !arg.startsWith("-") && given[index - 1] !== "--cwd");
  return at <= 0 ? given : [...given.slice(at, at + 1), ...given.slice(0, at), ...given.slice(at + 1)];
}

/** null: it was removed, or moved under another name that Node cannot find. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

async function runCommand(name: string, command: Command, rest: string[]): Promise<number> {
  const { values, positionals } = parse(name, command, rest);
  if (values.help === true) return print(commandHelp(name, command));
  const cwd = typeof values.cwd === "string" ? values.cwd : process.cwd();
  if (values.cwd !== undefined) home = await launcherHome(cwd);
  const { runNewer, upgradeAt } = await import("./versions.js");
  const status = await runNewer(cwd, [name, ...rest]);
  if (status !== null) return status;
  const busy = await shownWhileBusy(command, { flags: values, positionals });
  const out = createOut({ json: values.json === true, stateDir: home, before: busy });
  const run = () => command.run({ cwd, flags: values, positionals, out });
  try {
    return await run();
  } catch (error) {
    if (!isVersionError(error) || error.database !== "older") throw error;
    await upgradeAt(cwd);
    return run();
  } finally {
    busy();
  }
}

/** Returns what ends it, before anything else is printed. */
async function shownWhileBusy(
  { busy }: Command,
  given: Pick<Invocation, "flags" | "positionals">,
): Promise<() => void> {
  const label = typeof busy === "function" ? busy(given) : busy;
  if (label === undefined || process.stderr.isTTY !== true) return () => {};
  const { createProgress } = await import("./progress.js");
  return createProgress(label, { fromStart: true }).end;
}

/** Where compiled code is cached: in a clone that has a state dir. A quick guess with two file checks. */
function codeNear(cwd: string): string | null {
  const forTests = codeForTests();
  if (forTests !== undefined) return forTests;
  for (let dir = cwd; ; dir = dirname(dir)) {
    const stateDir = join(dir, ".git", "ua-hooks");
    if (existsSync(stateDir)) return codeFolder(stateDir);
    if (dir === dirname(dir) || existsSync(join(dir, ".git"))) return null;
  }
}

/** `ua-hooks` without arguments: the status, or, if it is not installed, the next step. */
async function alone(): Promise<number> {
  const { status } = await import("./status.js");
  const code = await status.run({
    cwd: process.cwd(),
    flags: {},
    positionals: [],
    out: createOut({ json: false, stateDir: home }),
  });
  process.stdout.write(`\n${paint("dim", asTyped("`ua-hooks --help` lists the commands.", home))}\n`);
  return code;
}

function parse(name: string, command: Command, given: string[]) {
  const options = { ...command.options, ...COMMON };
  const args = command.rewrite?.(given) ?? given;
  try {
    return parseArgs({ args, options, allowPositionals: command.positionals === true, strict: true });
  } catch (error) {
    throw new UaError("usage", ...usageOf(name, Object.keys(options), messageOf(error)));
  }
}

/**
 * Node's message, except where ours is clearer: `Unknown option '--jsn'. To specify a positional argument starting with
 * …`.
 */
function usageOf(name: string, known: readonly string[], parserMessage: string): [what: string, next: string] {
  const see = `see \`ua-hooks ${name} --help\``;
  const [, option] = /^Unknown option '(-[^']*)'/.exec(parserMessage) ?? [];
  if (option === undefined)
    return [parserMessage.replace(/^Unexpected argument '(.*)'\. This.*$/s, `${name} does not accept "$1"`), see];
  const near = nearest(option.replace(/^-+/, ""), known);
  return [`${name} does not accept ${option}`, near === undefined ? see : `did you mean \`--${near}\`?`];
}

function print(text: string): number {
  process.stdout.write(`${onTerminal(text)}\n`);
  return 0;
}

function suggestion(name: string): string {
  const near = nearest(name, Object.keys(COMMANDS));
  return near === undefined ? "see `ua-hooks --help`" : `did you mean \`ua-hooks ${near}\`?`;
}

/**
 * An error may contain a file name or a program's output: line breaks stay, terminal control characters are escaped.
 */
const shown = (text: string) => text.split("\n").map(printable).join("\n");

function report(thrown: unknown, debug: boolean): number {
  const { stderr } = process;
  ignoreClosed(stderr);
  const error = toUserError(thrown) ?? thrown;
  const print = (text: string) => stderr.write(`${onTerminal(text, stderr)}\n`);
  print(`${paint("red", "ua-hooks:", stderr)} ${shown(messageOf(error))}`);
  if (isUaError(error) && error.next !== undefined) print(`  ${shown(asTyped(error.next, home))}`);
  if (debug && error instanceof Error) stderr.write(`${error.stack ?? ""}\n`);
  else if (!isUaError(error)) stderr.write("  this is a defect of ua-hooks; run it with --debug to see where\n");
  return isUaError(error) ? error.exitCode : 6;
}

keepOwnRights();
const argv = process.argv.slice(2);
main(argv).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = report(error, argv.includes("--debug"));
  },
);
