import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { makeFolder } from "./change-files.js";
import { currentUser, isOwnAlone, ownerOf } from "./owner.js";
import { processNumber } from "./process.js";
import { withDefaultFlags } from "./wasm-compiler.js";
import { renameFile } from "./windows.js";

interface Loadable {
  exports: unknown;
  require(id: string): unknown;
}

/** Node's loader calls this for every file; it is on Module.prototype. */
interface Compiles {
  _compile(this: Loadable, content: string, filename: string): unknown;
}

/** The folder of our own files, into which this module is bundled. */
const home = import.meta.dirname;

/**
 * Runs `work` with V8's compiled form of our own files cached in `folder`: compiling 650 KB of JavaScript takes 40 ms.
 * V8 keeps the functions that ran, so each `program` has its own cache: "hook", or the name of a command.
 */
export async function withCodeCache<T>(folder: string | null, program: string, work: () => Promise<T>): Promise<T> {
  const save = folder === null ? () => {} : useCodeCache(folder, program);
  const result = await work();
  try {
    save();
  } catch {
    // a full disk, or another owner's clone: the next start is slower
  }
  return result;
}

/**
 * Returns a function that saves the cache. V8 refuses a cache of another version or other flags, but identifies a source by its
 * length only, so the cache file's name contains the rest. Node 22 has a cache built in, but of what is compiled when a file is loaded,
 * before it runs: most functions are compiled when they are called first, and are not in it.
 */
export function useCodeCache(folder: string, program: string): () => void {
  const dir = join(folder, program);
  if (!isPrivate(folder)) return () => {};
  const fresh = new Map<string, Script>();
  const prototype = Module.prototype as unknown as Compiles;
  const compile = prototype._compile;
  prototype._compile = function (content, filename) {
    if (!filename.startsWith(home)) return compile.call(this, content, filename);
    const file = join(dir, nameFor(filename));
    const cachedData = readKept(file);
    const options = { filename, ...(cachedData === null ? {} : { cachedData }) };
    const script = withDefaultFlags(() => new Script(Module.wrap(content), options));
    if (cachedData === null || script.cachedDataRejected === true) fresh.set(file, script);
    const require = Object.assign((id: string) => this.require(id), { cache: Module["_cache" as never] });
    return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
  };
  // Do not create a state dir again that uninstall has removed.
  return () => (fresh.size > 0 && existsSync(dirname(folder)) ? save(dir, fresh) : undefined);
}

/** In the clone's state dir. Tests share one for all their clones. */
export function codeFolder(stateDir: string): string {
  return codeForTests() ?? join(stateDir, "code");
}

export const codeForTests = (): string | undefined => (FOR_TESTS ? process.env.UA_HOOKS_CODE : undefined);

/**
 * V8 runs the cache without checking it: a folder that others can write to is not used, nor one in a place of others, who could put another
 * folder there after this check. `folder` is in the state dir, which is in the git dir.
 */
function isPrivate(folder: string): boolean {
  const stateDir = dirname(folder);
  const gitDir = dirname(stateDir);
  const around = basename(gitDir) === ".git" ? [gitDir, dirname(gitDir)] : [gitDir];
  const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? path === folder;
  const user = currentUser();
  try {
    return (
      [stateDir, folder].every((path) => isFolder(path) && isOwnAlone(path)) &&
      around.every((path) => user === null || ownerOf(path) === user)
    );
  } catch {
    return false; // another user's folder, into which this user may not even look
  }
}

function nameFor(filename: string): string {
  const { size, mtimeMs } = statSync(filename);
  return `${basename(filename)}.${size}.${Math.round(mtimeMs / 1000)}.${process.version}-${process.arch}`;
}

/** Stored twice in one file: V8 crashes on a damaged cache, and comparing the halves is the fastest check. */
function readKept(file: string): Buffer | null {
  try {
    const both = readFileSync(file);
    const one = both.subarray(0, both.length / 2);
    return one.equals(both.subarray(one.length)) ? one : null;
  } catch {
    return null;
  }
}

/** At the end of a run, when V8 has compiled what such a run needs. Caches of other versions are removed. */
function save(dir: string, fresh: ReadonlyMap<string, Script>): void {
  makeFolder(dir, dirname(dirname(dir))); // <state dir>/code/<program>
  for (const [file, script] of fresh) {
    const data = withDefaultFlags(() => script.createCachedData());
    const temp = `${file}.${processNumber()}.tmp`;
    try {
      writeFileSync(temp, Buffer.concat([data, data]), { mode: 0o600 }); // not synced: a torn file has two different halves
      renameFile(temp, file);
    } catch (error) {
      rmSync(temp, { force: true }); // a full disk, which it would fill further at every run
      throw error;
    }
  }
  for (const name of readdirSync(dir)) {
    const source = join(home, name.replace(/\.cjs\..*$/s, ".cjs"));
    const current = [source, join(home, "grammars", basename(source))].find((path) => existsSync(path));
    if (current === undefined || nameFor(current) !== name) rmSync(join(dir, name), { force: true });
  }
}
