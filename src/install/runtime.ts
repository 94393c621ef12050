import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UaError } from "../errors.js";
import { hasGrammarFile, readGrammarFile } from "../fingerprint/grammar-files.js";
import type { FileStep } from "../hook-managers/plan.js";
import { TEMPLATES } from "../hook-managers/templates.js";
import { mayLoadPackage } from "../platform/own-copy.js";
import { processNumber } from "../platform/process.js";
import { brokenSessionPrograms } from "../platform/session.js";
import { renameFile, withSlashes } from "../platform/windows.js";
import { LAUNCHER } from "../repository/launcher.js";
import type { Project } from "../repository/locate.js";
import { isInWorktree } from "../repository/worktrees.js";
import { isOrphan, removeTemporaries, writeFileAtomic } from "../store/files.js";
import { currentTarget } from "../store/libsql-target.js";
import { makeStateDir } from "../store/state.js";
import { runtimeDir, runtimeVersionFile, runtimeVersionText } from "../store/upgrade.js";

/** The package's own files: the bundles are in dist/, hooks and templates beside it. */
const dist = import.meta.dirname;

/** In a clone's own copy the other folders of the package are in `package/` beside the programs. */
const home = existsSync(join(dist, "package")) ? join(dist, "package") : join(dist, "..");

/** A file of the package. `dist` is where the programs are, also in a clone's own copy. */
export function packageFile(folder: "dist" | "hooks" | "templates", ...path: string[]): string {
  return readFileSync(join(folder === "dist" ? dist : join(home, folder), ...path), "utf8");
}

/** Relative to the git common dir, so that the repository can move. */
const ENTRY = "ua-hooks/runtime/hook.cjs";

/** The files that start the clone's own copy of the program (see prepareStateDir). */
export function runtimeSteps(project: Project, mode: "detached" | "foreground"): FileStep[] {
  const { stateDir } = project;
  const own = (name: string, what: string, text: string): FileStep => ({
    file: join(stateDir, name),
    what,
    text,
    mode: 0o600,
  });
  return [
    own("env", "paths of node and of the program", envText(project, mode)),
    own("shim.sh", "the script that hooks run", packageFile("hooks", "shim.sh")),
    own("agent.sh", "the script that agents run", packageFile("hooks", "agent.sh")),
    // With a run bit, which shows whether it counts here (hook-managers/state.ts).
    { ...own("entry.sh", "the entry script of hooks", packageFile("hooks", "entry.sh")), mode: 0o700 },
    { ...own(LAUNCHER, "the script that people and agents run", packageFile("hooks", "launcher.sh")), mode: 0o700 },
    ...TEMPLATES.map((name) => own(join("templates", name), "a copy for repairs", packageFile("templates", name))),
  ];
}

/** The lines that hooks/entry.sh reads. The last one is only there where it says something. */
function envText(project: Project, mode: "detached" | "foreground"): string {
  requireOwnNode(project);
  const broken = brokenSessionPrograms();
  return [withSlashes(process.execPath), ENTRY, mode, ...(broken.length === 0 ? [] : [broken.join(" ")]), ""].join(
    "\n",
  );
}

/** What runs at every commit must not be a file that a checkout can replace, as the one of the npm package `node` is. */
function requireOwnNode(project: Project): void {
  if (!isInWorktree(project, process.execPath)) return;
  throw new UaError(
    "refused",
    `this Node, ${process.execPath}, is in the work tree: a checkout can replace it, and the hooks would run it`,
    "run install with a Node that is installed outside of the project",
  );
}

const MADE_FOLDERS = ["rewrites", "proofs", "templates", "bin"];
/** Of the state dir; the others are made when something is put there. */
const FOLDERS = [
  ...MADE_FOLDERS,
  "runtime",
  "code",
  "seen",
  "staging",
  "data",
  "markers",
  "told",
  "context",
  "parsing",
];

/** Files of the state dir where a folder belongs: nothing can be written there. */
export function misplacedFiles(stateDir: string): string[] {
  return FOLDERS.filter((name) => statSync(join(stateDir, name), { throwIfNoEntry: false })?.isDirectory() === false);
}

/**
 * The hooks run a copy in the state dir, also if the package is a dependency of the repository: a cache, a global
 * folder or node_modules can be removed at any time, and a branch that tracks files in node_modules would run its own
 * at a checkout, because git overwrites ignored files (invariant "a checkout runs no code").
 */
export function prepareStateDir(project: Project, grammars: ReadonlySet<string>): void {
  makeStateDir(project.stateDir);
  for (const name of MADE_FOLDERS) mkdirSync(join(project.stateDir, name), { recursive: true, mode: 0o700 });
  copyRuntime(runtimeDir(project.stateDir), grammars);
  writeFileAtomic(runtimeVersionFile(project.stateDir), runtimeVersionText(), 0o600);
}

/** The programs of hooks, agents and the launcher, and what they load (scripts/bundle.mjs). */
const STARTS = ["hook.cjs", "agent.cjs", "cli.cjs"];
const LOADED = [
  ...[
    "hook-main.cjs",
    "agent-main.cjs",
    "verify.cjs",
    "quick.cjs",
    "program.cjs",
    "globs.cjs",
    "worker.cjs",
    "mcp.cjs",
  ],
  ...["report.js", "grammars/tree-sitter.cjs"],
];
/** A start needs what it loads. */
const PROGRAM = [...LOADED, ...STARTS];

/** Whether the clone's copy has other programs than this package, which may have the same version: a development build has. */
export function isOtherBuild(stateDir: string): boolean {
  const target = runtimeDir(stateDir);
  return PROGRAM.some((name) => {
    const [ours, theirs] = [join(dist, name), join(target, name)];
    return existsSync(theirs) && !isSameFile(ours, theirs) && !readFileSync(ours).equals(readFileSync(theirs));
  });
}

/** utimes takes fractions of seconds: the time read back can differ by a millisecond. */
function isSameFile(from: string, to: string): boolean {
  const [source, there] = [statSync(from), statSync(to, { throwIfNoEntry: false })];
  return there?.size === source.size && Math.abs(there.mtimeMs - source.mtimeMs) < 2;
}

/** Only the grammars in use: all of them are 30 MB. Those that were in use before are updated, too. */
function copyRuntime(target: string, grammars: ReadonlySet<string>): void {
  mkdirSync(join(target, "grammars"), { recursive: true, mode: 0o700 });
  for (const dir of [target, join(target, "grammars")]) removeTemporaries(dir, isOrphan); // of an install that was killed
  // Files of the old version are removed last: a running hook may still load them.
  const old = readdirSync(target).filter((name) => name.endsWith(".cjs") && !PROGRAM.includes(name));
  for (const name of PROGRAM) refresh(join(dist, name), join(target, name));
  const before = readdirSync(join(target, "grammars")).filter((name) => name.endsWith(".wasm") && hasGrammarFile(name));
  for (const name of ["hooks", "templates"]) refresh(join(home, name), join(target, "package", name));
  // A clone's own copy, which may be what runs here, has no others than its own.
  const needed = [...grammars].map((name) => `${name}.wasm`).filter(hasGrammarFile);
  const wanted = new Set(["tree-sitter.wasm", ...needed, ...before]);
  for (const name of wanted) unpackGrammar(name, join(target, "grammars"));
  const native = nativePackage();
  if (native !== null) refresh(native, join(target, "node_modules", "@libsql", currentTarget()));
  // Node reads the nearest package.json above a program that it loads: without this one that would be the checkout's, which may be anything.
  writeFileAtomic(join(target, "package.json"), '{ "type": "commonjs" }\n');
  for (const name of old) rmSync(join(target, name), { force: true });
}

/** Unpacked at install, so that a hook need not do it. */
function unpackGrammar(name: string, folder: string): void {
  const [file, bytes] = [join(folder, name), readGrammarFile(name)];
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  const temp = `${file}.${processNumber()}.tmp`;
  writeFileSync(temp, bytes, { mode: 0o600 });
  renameFile(temp, file);
}

/** A hook may be running from the copy: equal files stay, others are replaced atomically. */
function refresh(from: string, to: string): void {
  const source = statSync(from);
  if (source.isDirectory()) {
    mkdirSync(to, { recursive: true, mode: 0o700 });
    const names = readdirSync(from);
    for (const name of readdirSync(to)) {
      if (!names.includes(name)) rmSync(join(to, name), { recursive: true, force: true });
    }
    for (const name of names) refresh(join(from, name), join(to, name));
    return;
  }
  if (isSameFile(from, to)) return;
  const temp = `${to}.${processNumber()}.tmp`;
  // A copy, not a hard link: a process that can write into .git must not be able to change the package.
  copyFileSync(from, temp, constants.COPYFILE_FICLONE);
  utimesSync(temp, source.atime, source.mtime);
  renameFile(temp, to);
}

/** SQLite's binary for a Node that has none built in; null if npm omitted optional packages. */
function nativePackage(): string | null {
  const name = `@libsql/${currentTarget()}`;
  if (!mayLoadPackage(name)) return null;
  try {
    const found = dirname(createRequire(join(dist, "hook.cjs")).resolve(`${name}/package.json`));
    return existsSync(found) ? found : null;
  } catch {
    return null;
  }
}
