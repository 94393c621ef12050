import { realpathSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { UaError } from "../errors.js";
import { readRegularFile } from "../platform/read-file.js";

/** The worktree that a command runs in, and the project's root: files below them come with a checkout. */
export type CommandPlace = { root: string | null; worktree: { path: string } };

/** A file of the project that a command names: how trust knows it, and where it is. */
export type CommandFiles = Map<string, string>;

/** A larger file is hardly a script, and is read at every question about trust. */
const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/**
 * The files of the project that a command runs. Throws where a checkout could change what runs without changing one of them: a
 * shell's or an interpreter's program text, a module found by its name, a program that asks a file of the project what to run. What
 * these files load themselves is not followed.
 */
export function filesOfCommand(command: readonly string[], place: CommandPlace): CommandFiles {
  const files: CommandFiles = new Map();
  const add = (path: string) => addFile(files, path, place);
  for (const part of command) for (const value of valuesOf(part)) add(resolve(place.worktree.path, value));
  followCommand(withoutWrappers(command), (script, kind) => {
    const found = candidates(resolve(place.worktree.path, script), kind).filter(isFile);
    if (found.length === 0) refuse(`there is no file ${JSON.stringify(script)} to run`, "name a script that exists");
    for (const path of found) add(path);
  });
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `--option=value` may name a file as well as `value`. */
function valuesOf(part: string): string[] {
  const at = part.indexOf("=");
  return [part, ...(at < 0 ? [] : [part.slice(at + 1)])].filter((value) => value !== "");
}

function addFile(files: CommandFiles, path: string, { root, worktree }: CommandPlace): void {
  const tops = [worktree.path, ...(root === null ? [] : [root])];
  const top = tops.find((one) => path.startsWith(one + sep));
  if (top === undefined || !isFile(path)) return;
  if (statSync(path).size > MAX_SCRIPT_BYTES)
    refuse(`${JSON.stringify(relative(top, path))} is larger than 16 MB`, "name a smaller script");
  files.set(relative(top, path), path);
}

function isFile(path: string): boolean {
  try {
    return statSync(realpathSync(path)).isFile();
  } catch {
    return false; // most arguments are no files at all
  }
}

type ScriptKind = "node" | "python" | "exact";

/** Every file that the interpreter may take for this name. All that exist count, so a new one among them asks again. */
function candidates(path: string, kind: ScriptKind): string[] {
  if (kind === "exact") return [path];
  if (kind === "python") return [path, join(path, "__main__.py")];
  const extensions = [".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".cts", ".mts"];
  const named = (file: string) => [file, ...extensions.map((extension) => file + extension)];
  const manifest = join(path, "package.json");
  const main = mainOf(manifest);
  const mains = main === null ? [] : [...named(resolve(path, main)), ...named(resolve(path, main, "index"))];
  return [...named(path), manifest, ...named(join(path, "index")), ...mains];
}

/** https://nodejs.org/api/modules.html, "Folders as modules". */
function mainOf(manifest: string): string | null {
  try {
    const text = readRegularFile(manifest, { most: MAX_SCRIPT_BYTES })?.toString("utf8") ?? "";
    const { main } = JSON.parse(text) as { main?: unknown };
    return typeof main === "string" ? main : null;
  } catch {
    return null; // none, or Node itself fails on it
  }
}

interface Interpreter {
  name: RegExp;
  kind: ScriptKind;
  /** Options before the script that load nothing. */
  plain: RegExp;
  /** Options whose value is a file to load; the value follows, or stands after `=`. */
  loads?: RegExp;
  /** What must stand before the script. */
  verb?: string;
}

/** With any other option in front of the script, trust is refused: it may hold program text, or change where modules are found. */
const INTERPRETERS: readonly Interpreter[] = [
  {
    name: /^node(js)?[\d.]*$/,
    kind: "node",
    plain: /^--(no-[\w-]+|enable-source-maps|trace-[\w-]+|experimental-(strip|transform)-types|[\w-]+-size=\d+)$/,
    loads: /^(-r|--require|--import|--loader|--experimental-loader)$/,
  },
  { name: /^bun$/, kind: "node", plain: /^--(smol|no-[\w-]+)$/ },
  { name: /^deno$/, kind: "node", plain: /^(-A|-q|--(quiet|no-[\w-]+|allow-[\w-]+(=.*)?))$/, verb: "run" },
  { name: /^(ba|da|a|k|mk|z)?sh$/, kind: "exact", plain: /^-[euxfvn]+$/ },
  { name: /^fish$/, kind: "exact", plain: /^--(no-config|private)$/ },
  { name: /^(python|pypy)[\d.]*$/, kind: "python", plain: /^-[IPEsSBuOqb]+$/ },
  { name: /^(perl|ruby)[\d.]*$/, kind: "exact", plain: /^-[wWtT]$/ },
  { name: /^(pwsh|powershell|cmd|php|lua|Rscript|awk|gawk|osascript)$/, kind: "exact", plain: /^$/ },
];

/** They run what a file of the project says: package.json, a Makefile, a lock file's packages. */
const RUNNERS = new RegExp(
  "^(npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx|corepack|make|gmake|just|task|rake|bundle|gradlew?|mvnw?|sbt|cargo|go|dotnet|" +
    "poetry|pipenv|pipx|uvx?|tox|nox|hatch|rye|mix|composer|busybox|docker-compose|xargs|find|parallel|watch|script|ssh|eval)$",
);

const interpreterOf = (program: string) => INTERPRETERS.find(({ name }) => name.test(nameOf(program)));
const nameOf = (program: string) => basename(program).replace(/\.(exe|cmd|bat)$/i, "");

function followCommand(
  [program = "", ...args]: readonly string[],
  load: (file: string, kind: ScriptKind) => void,
): void {
  if (RUNNERS.test(nameOf(program))) refuse(`what ${nameOf(program)} runs is decided by files that are not followed`);
  const interpreter = interpreterOf(program);
  if (interpreter !== undefined) {
    followScript(interpreter, program, args, load);
    return;
  }
  // Another program may start one of these: `docker run image sh -c …`.
  const inner = args.find((arg) => interpreterOf(arg) !== undefined || RUNNERS.test(nameOf(arg)));
  if (inner !== undefined) refuse(`${nameOf(program)} starts ${nameOf(inner)} in a way that is not followed`);
}

function followScript(
  { kind, plain, loads, verb }: Interpreter,
  program: string,
  args: readonly string[],
  load: (file: string, kind: ScriptKind) => void,
): void {
  const rest = [...args];
  if (verb !== undefined && rest.shift() !== verb) refuse(`only \`${nameOf(program)} ${verb} <file>\` can be followed`);
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, option = arg, value] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [];
    if (loads?.test(option)) load(loadedFile(option, value ?? rest.shift() ?? ""), kind);
    else if (kind === "python" && arg === "-m" && isIsolated(args)) return;
    else if (!arg.startsWith("-")) {
      load(arg, kind);
      return;
    } else if (!plain.test(arg)) refuse(`${nameOf(program)} ${option}: what it runs cannot be followed`);
  }
  refuse(`${nameOf(program)} gets no script`);
}

/** `-I` and `-P`: no module is looked for in the folder that it runs in. */
function isIsolated(args: readonly string[]): boolean {
  return args.slice(0, args.indexOf("-m")).some((arg) => /^-[a-zA-Z]*[IP]/.test(arg));
}

/** Without `./` it is the name of a package, which is looked for in every node_modules. */
function loadedFile(option: string, value: string): string {
  if (!/^\.{0,2}\//.test(value))
    refuse(`${option} ${value}: a package that is found by its name is not followed`, `write ./${value}`);
  return value;
}

/** Variables that make an interpreter or the system load something. */
const LOADING = /^(PATH|NODE_\w+|PYTHON\w*|BASH_ENV|ENV|SHELLOPTS|LD_\w+|DYLD_\w+|PERL\w*|RUBY\w*|GIT_\w+)=/;

/** `env A=1 nice -n 5 timeout 60 program …` is `program …`. */
function withoutWrappers(command: readonly string[]): string[] {
  const rest = [...command];
  for (;;) {
    const wrapper = WRAPPERS[nameOf(rest[0] ?? "")];
    if (wrapper === undefined) return rest;
    const name = nameOf(rest.shift() ?? "");
    for (let left = wrapper.words ?? 0; ; ) {
      const arg = rest[0] ?? "";
      if (LOADING.test(arg) && name === "env") refuse(`${arg}: a variable that makes programs load files`);
      if (wrapper.plain.test(arg)) rest.shift();
      else if (wrapper.valued?.test(arg)) rest.splice(0, 2);
      else if (arg.startsWith("-")) refuse(`${name} ${arg}: what it runs cannot be followed`);
      else if (left-- > 0) rest.shift();
      else break;
    }
  }
}

interface Wrapper {
  plain: RegExp;
  valued?: RegExp;
  /** How many arguments of its own stand before the program. */
  words?: number;
}

const WRAPPERS: Partial<Record<string, Wrapper>> = {
  env: { plain: /^(-i|-|--ignore-environment|[A-Za-z_]\w*=.*)$/s, valued: /^-u$/ },
  nice: { plain: /^(-\d+|-n-?\d+|--adjustment=.*)$/, valued: /^-n$/ },
  ionice: { plain: /^-[cn]\d$/, valued: /^-[cn]$/ },
  nohup: { plain: /^$/ },
  setsid: { plain: /^-[cfw]$/ },
  timeout: { plain: /^--(foreground|preserve-status|signal=.*|kill-after=.*)$/, valued: /^-[sk]$/, words: 1 },
};

function refuse(
  why: string,
  next = "name a script of the project, or a program that is installed outside of it",
): never {
  throw new UaError("refused", `the command cannot be trusted: ${why}`, next);
}
