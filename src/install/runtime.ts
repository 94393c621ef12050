import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import type { Project } from "../project/locate.js";
import { currentTarget } from "../store/libsql-target.js";
import { makeStateDir } from "../store/state.js";
import type { Step } from "./plan.js";

/** Where the package's own files are: the bundles are in dist/, hooks and templates beside it. */
const dist = import.meta.dirname;

export function packageFile(...path: string[]): string {
  return readFileSync(join(dist, "..", ...path), "utf8");
}

/**
 * The program that the shim starts. One inside the repository is named relative to the git common dir, so that the
 * repository can move; one from a npx cache or a global folder may vanish any day, so the state dir gets a copy.
 */
export function runtimeSteps(project: Project, mode: "detached" | "foreground"): Step[] {
  const { stateDir, commonDir, root } = project;
  const inside = root !== null && dist.startsWith(root + sep);
  const entry = inside
    ? relative(commonDir, join(dist, "hook.cjs"))
    : relative(commonDir, join(stateDir, "runtime", "hook.cjs"));
  return [
    {
      file: join(stateDir, "env"),
      what: "where node and the program are",
      text: `${process.execPath}\n${entry}\n${mode}\n`,
      mode: 0o600,
    },
    { file: join(stateDir, "shim.sh"), what: "what the hooks run", text: packageFile("hooks", "shim.sh"), mode: 0o600 },
    { file: join(stateDir, "agent.sh"), what: "what agents run", text: packageFile("hooks", "agent.sh"), mode: 0o600 },
  ];
}

export function prepareStateDir(project: Project, grammars: ReadonlySet<string>): void {
  makeStateDir(project.stateDir);
  for (const name of ["rewrites", "proofs"]) mkdirSync(join(project.stateDir, name), { recursive: true, mode: 0o700 });
  const inside = project.root !== null && dist.startsWith(project.root + sep);
  if (!inside) copyRuntime(join(project.stateDir, "runtime"), grammars);
}

/** All that the hooks start and load, the grammars aside: hook.cjs, agent.cjs and worker.cjs with the files split off from them. */
function programFiles(): string[] {
  const scripts = readdirSync(dist).filter((name) => /^(hook|agent|worker)(-[^.]+)?\.cjs$/.test(name));
  return [...scripts, "grammars/tree-sitter.cjs", "grammars/tree-sitter.wasm"];
}

/** The grammars in use, not all of them: together they are 30 MB. One that is there already stays. */
function copyRuntime(target: string, grammars: ReadonlySet<string>): void {
  mkdirSync(join(target, "grammars"), { recursive: true, mode: 0o700 });
  const files = programFiles();
  // What an upgrade no longer has goes last: a hook that is running may still want it.
  const old = readdirSync(target).filter((name) => name.endsWith(".cjs") && !files.includes(name));
  for (const name of files) refresh(join(dist, name), join(target, name));
  for (const name of grammars)
    refresh(join(dist, "grammars", `${name}.wasm`), join(target, "grammars", `${name}.wasm`));
  const native = nativePackage();
  if (native !== null) refresh(native, join(target, "node_modules", "@libsql", currentTarget()));
  for (const name of old) rmSync(join(target, name), { force: true });
}

/** A hook may be running from the copy: what is the same stays, what differs is replaced in one step. */
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
  const there = statSync(to, { throwIfNoEntry: false });
  // utimes takes seconds as a fraction: what was set comes back a millisecond off now and then.
  if (there?.size === source.size && Math.abs(there.mtimeMs - source.mtimeMs) < 2) return;
  const temp = `${to}.${process.pid}.tmp`;
  // A copy, not a link: whoever can write into .git must not be able to change the package that others run.
  copyFileSync(from, temp, constants.COPYFILE_FICLONE);
  utimesSync(temp, source.atime, source.mtime);
  renameSync(temp, to);
}

/** SQLite's binary for a Node without one of its own; absent where npm left optional packages out. */
function nativePackage(): string | null {
  try {
    const found = dirname(createRequire(join(dist, "hook.cjs")).resolve(`@libsql/${currentTarget()}/package.json`));
    return existsSync(found) ? found : null;
  } catch {
    return null;
  }
}
