import { accessSync, constants, existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { errnoOf, UaError } from "../errors.js";
import { fromJson } from "../json.js";
import { programPath } from "../platform/program-path.js";
import { MOST_STREAM_BYTES, MOST_TEXT_BYTES, readChunks, readRegularFile } from "../platform/read-file.js";
import { isWindows } from "../platform/windows.js";
import type { Project } from "../repository/locate.js";
import { listWorktrees } from "../repository/worktrees.js";

/** The worktree that a command runs in, and the clone that it belongs to: files in any of its worktrees come with a checkout. */
export type CommandPlace = Pick<Project, "root" | "mainPath" | "commonDir"> & { worktree: { path: string } };

/** A file of the project that a command runs. */
export interface CommandFile {
  path: string;
  /** Where a link of the project leads that leaves it: the link can change with a checkout, what stands there cannot. */
  outside: string | null;
}

/** The files of the project that a command runs, by the names that trust knows them by. */
export type CommandFiles = Map<string, CommandFile>;

/** A larger file is hardly a script, and is read at every question about trust. */
const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/**
 * The files of the project that a command runs: those that its arguments name, the interpreters of their first lines, and what the options of
 * either load. Throws where a checkout could change what runs without changing one of them: a shell's or an interpreter's program
 * text, a module found by its name, a program that asks a file or a setting what to run. What these files load themselves is not followed.
 */
export function filesOfCommand(command: readonly string[], place: CommandPlace): CommandFiles {
  const finder = new CommandFinder(place);
  finder.follow(command);
  return new Map([...finder.files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** For a program that trust names without a file: throws where PATH has it as a link into the project (`npm link`). */
export function requireOutside(program: string, place: CommandPlace): void {
  const [name] = filesOfCommand([program], place).keys();
  if (name !== undefined)
    throw new UaError(
      "refused",
      `${program} in PATH is a link to ${name} of this project, which a checkout can change`,
      `install ${program} outside of the project`,
    );
}

class CommandFinder {
  readonly files: CommandFiles = new Map();
  private readonly tops: readonly string[];

  constructor(private readonly place: CommandPlace) {
    const { root, worktree } = place;
    const worktrees = listWorktrees(place).map(({ path }) => path);
    this.tops = [...new Set([worktree.path, ...(root === null ? [] : [root]), ...worktrees])];
  }

  follow(command: readonly string[]): void {
    for (const part of command) for (const value of valuesOf(part)) this.add(value);
    const [program = "", ...args] = this.withoutWrappers(command);
    const path = this.pathOf(program);
    for (const name of [program, ...args])
      if (/^\/(proc|dev\/fd)\//.test(name)) refuse(`${name} is another file in each process`, "name the file itself");
    if (path !== null) this.add(path);
    const known = this.knownNameOf(program);
    if (isRunner(known)) refuseRunner(nameOf(known));
    const interpreter = interpreterOf(known);
    if (interpreter !== undefined) {
      this.followInterpreter(interpreter, program, args);
      return;
    }
    if (path !== null) this.addInterpreterOf(realOf(path) ?? path);
    // Another program may start one of these: `docker run image sh -c …`.
    const inner = args.find((arg) => interpreterOf(arg) !== undefined || isRunner(arg));
    if (inner !== undefined)
      refuse(
        `${nameOf(program)} starts ${nameOf(inner)} in a way that is not followed`,
        "name a script of the project, or write a plain word as --option=word",
      );
  }

  /** By its own name, or else by where links lead: `tools/build` may be make. A link to busybox is what its own name says. */
  private knownNameOf(program: string): string {
    if (isKnown(program)) return program;
    const path = this.pathOf(program);
    const real = path === null ? null : realOf(path);
    return real !== null && isKnown(real) ? real : program;
  }

  /** A program outside, like one that pip made, can have its interpreter in the project. */
  private addInterpreterOf(path: string): void {
    if (this.nameInside(path) !== null || !isFile(path)) return;
    for (const word of (firstLine(path) ?? "").split(/[ \t]+/)) for (const value of valuesOf(word)) this.add(value);
  }

  /** What may be no file is no mistake: most arguments name none. */
  private add(value: string): void {
    const path = resolve(this.place.worktree.path, value);
    // The kernel follows a link before `..`, Node's functions for paths do not.
    const real = realOf(isAbsolute(value) ? value : `${this.place.worktree.path}${sep}${value}`);
    for (const name of [path, ...(real === null ? [] : [real])]) this.addPath(name);
  }

  private addPath(path: string): void {
    const short = this.nameInside(path);
    if (short === null || !isFile(path)) return;
    // Two worktrees have files of the same name.
    const name = [undefined, path].includes(this.files.get(short)?.path) ? short : path;
    if (this.files.has(name)) return;
    const real = realpathSync.native(path);
    const outside = this.nameInside(real) === null ? real : null;
    this.files.set(name, { path, outside });
    if (outside !== null) {
      this.addInterpreterOf(outside);
      return;
    }
    if (statSync(path).size > MAX_SCRIPT_BYTES)
      refuse(`${JSON.stringify(name)} is larger than 16 MB`, "name a smaller script");
    if (isShim(path))
      refuse(
        `${JSON.stringify(name)} starts another file, which is not followed`,
        "name the file that it starts, with its interpreter",
      );
    const line = firstLine(path);
    if (line !== null) this.follow([...this.interpreterLine(line, name), path]);
  }

  /** execve(2): the interpreter's path is not looked for in PATH. Linux passes the rest as one argument, macOS splits it at blanks. */
  private interpreterLine(line: string, name: string): string[] {
    const [interpreter = "", ...args] = line.split(/[ \t]+/).filter((word) => word !== "");
    if (interpreter === "") refuse(`the first line of ${JSON.stringify(name)} names no program`);
    return [resolve(this.place.worktree.path, interpreter), ...args];
  }

  /** How a program is named in the worktree that it is part of; null where it is outside of all. */
  private nameInside(path: string): string | null {
    const top = this.tops.find((one) => path.startsWith(one + sep));
    if (top === undefined) return null;
    const name = relative(top, path);
    const isHere = top === this.place.worktree.path || top === this.place.root;
    return isHere ? name : path;
  }

  /** Where a program is: its path, or in PATH as it will be when it runs. */
  private pathOf(program: string): string | null {
    if (program === "") return null;
    if (program.includes("/") || (isWindows && program.includes("\\")))
      return resolve(this.place.worktree.path, program);
    const folders = programPath(this.place.worktree.path).split(delimiter);
    const names = isWindows ? [`${program}.exe`, `${program}.cmd`, `${program}.bat`] : [program];
    const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
    return paths.find((each) => isFile(each) && canRun(each)) ?? null;
  }

  private followInterpreter(interpreter: Interpreter, program: string, args: readonly string[]): void {
    const { kind, plain, loads, verb, words, reads = [] } = interpreter;
    for (const name of reads) {
      if (existsSync(join(this.place.worktree.path, name)))
        refuse(
          `${nameOf(program)} runs what ${name} of the folder says`,
          "use another interpreter, or remove that file",
        );
    }
    const rest = [...args];
    if (verb !== undefined && rest.shift() !== verb)
      refuse(`only \`${nameOf(program)} ${verb} <file>\` can be followed`);
    for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
      const [, option = arg, value] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [];
      if (loads?.test(option)) this.load(loadedFile(option, value ?? rest.shift() ?? ""), kind);
      else if (kind === "python" && arg === "-m" && isIsolated(args) && this.isOutside(program)) return;
      else if (!/^[-+]/.test(arg)) {
        if (words?.test(arg))
          refuse(`${nameOf(program)} may take ${arg} for a command of its own, or of package.json`, `write ./${arg}`);
        if (isRunner(arg)) refuseRunner(nameOf(arg));
        this.load(arg, kind);
        return;
      } else if (!plain.test(arg)) refuse(`${nameOf(program)} ${option}: what it runs cannot be followed`);
    }
    refuse(`${nameOf(program)} gets no script`);
  }

  /** The modules of a Python environment lie beside its interpreter. */
  private isOutside(program: string): boolean {
    const path = this.pathOf(program);
    return path !== null && this.nameInside(path) === null;
  }

  private load(script: string, kind: ScriptKind): void {
    const found = candidates(resolve(this.place.worktree.path, script), kind).filter((path) => isFile(path));
    if (found.length === 0) refuse(`there is no file ${JSON.stringify(script)} to run`, "name a script that exists");
    for (const path of found) this.add(path);
  }

  /** `env A=1 nice -n 5 timeout 60 program …` is `program …`. */
  private withoutWrappers(command: readonly string[]): string[] {
    let rest = [...command];
    for (;;) {
      const name = nameOf(this.knownNameOf(rest[0] ?? ""));
      const wrapper = WRAPPERS[name.toLowerCase()];
      if (wrapper === undefined) return rest;
      rest = this.withoutWrapper(name, wrapper, rest.slice(1));
      for (const part of rest) for (const value of valuesOf(part)) this.add(value);
    }
  }

  private withoutWrapper(name: string, wrapper: Wrapper, args: readonly string[]): string[] {
    let rest = [...args];
    for (let left = wrapper.words ?? 0; ; ) {
      const [arg = ""] = rest;
      if (name === "env") this.checkVariable(arg);
      if (name === "env" && SPLITS.test(arg)) rest = splitByEnv(rest);
      else if (wrapper.plain.test(arg)) rest.shift();
      else if (wrapper.valued?.test(arg)) rest.splice(0, 2);
      else if (arg.startsWith("-")) refuse(`${name} ${arg}: what it runs cannot be followed`);
      else if (left-- > 0) rest.shift();
      else return rest;
    }
  }

  private checkVariable(arg: string): void {
    if (LOADING.test(arg)) refuse(`${arg}: a variable that makes programs load files`);
    const [, value] = /^\w+=(.*)$/s.exec(arg) ?? [];
    for (const path of (value ?? "").split(delimiter)) {
      const folder = path === "" ? null : realOf(resolve(this.place.worktree.path, path));
      if (folder !== null && this.tops.some((top) => `${folder}${sep}`.startsWith(top + sep)) && !isFile(folder))
        refuse(`${arg}: a folder of the project, from which programs may load files`);
    }
  }
}

/** A file may also be named by a part: `--option=value`, `-cvalue`, `@value`, `a.jar:b.jar`, `file:///path`. One too many does no harm. */
function valuesOf(part: string): string[] {
  const at = part.indexOf("=");
  const [, attached = ""] = /^-\w(.+)$/s.exec(part) ?? [];
  const pieces = part.split(/[=:,;@]/).map((piece) => piece.replace(/^\/{2,}/, "/"));
  const values = [part, ...(at < 0 ? [] : [part.slice(at + 1)]), attached, ...pieces];
  return [...new Set(values)].filter((value) => value !== "");
}

/** As execvp(3), which goes on to the next folder of PATH. */
function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** null where there is nothing. Not Node's own function, which removes `..` before it follows a link. */
function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null; // also a part that no path can be: with a NUL, or too long
  }
}

/** npm makes links in node_modules/.bin; pnpm, and every manager on Windows, writes shell scripts that start the file. */
function isShim(path: string): boolean {
  return path.includes(join(sep, "node_modules", ".bin", sep)) && !lstatSync(path).isSymbolicLink();
}

/** Longer than any that a system accepts: 256 bytes on Linux, 512 on macOS. */
const MOST_FIRST_LINE = 4096;

/** What stands behind `#!`; null without it. */
function firstLine(path: string): string | null {
  const start = startOf(path);
  if (start === null || start.toString("latin1", 0, 2) !== "#!") return null;
  const [line = ""] = start.toString("utf8", 2, MOST_FIRST_LINE).split("\n", 1);
  return line;
}

/** null where there is nothing, and for a program outside that may be run and not read: it is no script. */
function startOf(path: string): Buffer | null {
  try {
    const [start] = readChunks(path, { most: MOST_STREAM_BYTES, within: parse(path).root });
    return start ?? null;
  } catch (error) {
    if (errnoOf(error) === "EACCES") return null;
    throw error;
  }
}

type ScriptKind = "node" | "python" | "exact";

/** Every file that the interpreter may take for this name. All that exist count, so a new one among them asks again. */
function candidates(path: string, kind: ScriptKind): string[] {
  if (kind === "exact") return [path];
  if (kind === "python") return [path, join(path, "__main__.py")];
  const extensions = [".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".cts", ".mts", ".jsx", ".tsx"];
  const named = (file: string) => [file, ...extensions.map((extension) => file + extension)];
  const manifest = join(path, "package.json");
  const main = mainOf(manifest);
  const mains = main === null ? [] : [...named(resolve(path, main)), ...named(resolve(path, main, "index"))];
  return [...named(path), manifest, ...named(join(path, "index")), ...mains];
}

/** https://nodejs.org/api/modules.html, "Folders as modules". */
function mainOf(manifest: string): string | null {
  try {
    const text = readRegularFile(manifest, { most: MOST_TEXT_BYTES })?.toString("utf8") ?? "";
    const { main } = fromJson(text) as { main?: unknown };
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
  /** What in the place of the script may be no script: a command of its own. */
  words?: RegExp;
  /** Files of the folder it runs in that name code for it to run. */
  reads?: readonly string[];
}

/** No path and no extension. */
const BARE = /^[^/.]+$/;
const NONE = /^$/;

/** With any other option in front of the script, trust is refused: it may hold program text, or change where modules are found. */
const INTERPRETERS: readonly Interpreter[] = [
  {
    name: named("node(js)?"),
    kind: "node",
    plain: /^--(no-[\w-]+|enable-source-maps|trace-[\w-]+|experimental-(strip|transform)-types|[\w-]+-size=\d+)$/,
    loads: /^(-r|--require|--import|--loader|--experimental-loader)$/,
    words: /^(inspect|debug)$/,
  },
  { name: named("tsx"), kind: "node", plain: /^--no-[\w-]+$/, loads: /^(-r|--require|--import)$/, words: BARE },
  // https://bun.com/docs/cli/run: a script of package.json comes before a file, unless the file is named by a path or has an extension.
  {
    name: named("bun"),
    kind: "node",
    plain: /^--(smol|no-[\w-]+)$/,
    words: /^(?!\.{0,2}\/)(?!.*\.[cm]?[jt]sx?$)/s,
    reads: ["bunfig.toml"],
  },
  {
    name: named("deno"),
    kind: "node",
    plain: /^(-A|-q|--(quiet|no-[\w-]+|allow-[\w-]+(=.*)?))$/,
    verb: "run",
  },
  { name: named("r?(ba|da|a|k|mk|lk|ya|po|z|o)?sh|t?csh"), kind: "exact", plain: /^-[euxfvn]+$/ },
  { name: named("fish"), kind: "exact", plain: /^--(no-config|private)$/ },
  { name: named("python|pypy"), kind: "python", plain: /^-[IPEsSBuOqb]+$/ },
  { name: named("perl|ruby"), kind: "exact", plain: /^-[wWtT]$/ },
  { name: named("(original-|[gmn])?awk"), kind: "exact", plain: /^-f$/ },
  { name: named("sed"), kind: "exact", plain: /^-[nEf]$/ },
  { name: named("Rscript"), kind: "exact", plain: /^--vanilla$/, reads: [".Rprofile", ".Renviron"] },
  { name: named("java"), kind: "exact", plain: /^-(jar|X(m[nsx]|ss)\w+)$/, words: /^(?!.*\.(jar|java)$)/s },
  {
    name: named(
      "pwsh|powershell|cmd|php|lua|luajit|osascript|nu|xonsh|elvish|tclsh|wish|expect|guile|racket|groovy|elixir|escript|erl|julia|" +
        "octave|R|raku|jruby|truffleruby|jython|ipython|bpython|micropython|graalpy|qjs|d8|emacs|vim?|nvim|ed|sqlite3|gdb|lldb|m4",
    ),
    kind: "exact",
    plain: NONE,
  },
];

/** They run what a file of the project, a setting or a text says: package.json, a Makefile, a lock file's packages, an alias of git. */
const RUNNERS = named(
  "npm|npx|pnpm|pnpx|yarn|yarnpkg|bunx|corepack|g?make|just|task|rake|bundle|gradlew?|mvnw?|mvnd|sbt|cargo|go|dotnet|" +
    "poetry|pipenv|pipx|uvx?|tox|nox|hatch|pdm|pixi|conda|mamba|rye|mix|composer|busybox|toybox|coreutils|docker-compose|xargs|find|" +
    "parallel|watch|script|ssh|eval|chroot|su|runuser|flock|tmux|screen|git|hg|svn|direnv|devbox|mise|asdf|volta|fnm|nvm|nix|nix-shell|" +
    "ts-node|ts-node-esm|ts-node-script|swc-node|sucrase-node|babel-node|vite-node|jiti|esno|electron|lerna|nx|turbo|rush|moon|wireit|" +
    "npm-run-all2?|run-[sp]|concurrently|lefthook|husky|pre-commit|ninja|meson|bazel|bazelisk|buck2?|pants|ant|scons|inv|invoke|fab|doit|" +
    "gulp|grunt|jake|mage|earthly|tilt|cmake|ctest|stack|cabal|zig|dart|flutter|swift|vagrant|pytest|jest|vitest|mocha|ava|eslint|" +
    "webpack|rollup|vite",
);

/** Also with a version, and as a file system that ignores case finds it. */
function named(names: string): RegExp {
  return new RegExp(`^(${names})(-?[\\d.]+)?(-(dbg|preview))?$`, "i");
}

const interpreterOf = (program: string) => INTERPRETERS.find(({ name }) => name.test(nameOf(program)));
/** A link may lead to the script of a package: npm's is npm-cli.js. */
const isRunner = (program: string) => RUNNERS.test(nameOf(program).replace(/(-cli)?(\.[cm]?js)?$/i, ""));
const isKnown = (program: string) =>
  isRunner(program) || interpreterOf(program) !== undefined || nameOf(program).toLowerCase() in WRAPPERS;
const nameOf = (program: string) => basename(program).replace(/\.(exe|cmd|bat)$/i, "");

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
const LOADING =
  /^(PATH|(NODE|BUN|DENO|LUA|LD|DYLD|GIT|R|BASH|npm|JAVA|JDK)_\w+|_JAVA_OPTIONS|CLASSPATH|(PYTHON|PERL|RUBY|PHP)\w*|ENV|SHELLOPTS)=/;

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

/** `env -S "node --flag"`, also `-iS`: env splits the text at blanks, and knows quotes, escapes and variables. */
const SPLITS = /^(-[iv]*S|--split-string(=|$))/;

function splitByEnv([option = "", ...others]: readonly string[]): string[] {
  const attached = option.replace(SPLITS, "");
  const [text = "", ...rest] = attached === "" ? others : [attached, ...others];
  if (/["'\\$#]/.test(text))
    refuse(`env -S ${text}: quotes, escapes and variables are not followed`, "write the arguments without them");
  return [...text.split(/\s+/).filter((word) => word !== ""), ...rest];
}

function refuseRunner(name: string): never {
  refuse(
    `what ${name} runs is decided by files or settings that are not followed`,
    "name what it would run itself: a script of the project with its interpreter, or a program that is installed outside",
  );
}

function refuse(
  why: string,
  next = "name a script of the project, or a program that is installed outside of it",
): never {
  throw new UaError("refused", `the command cannot be trusted: ${why}`, next);
}
