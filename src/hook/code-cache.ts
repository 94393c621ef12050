import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import Module from "node:module";
import { basename, dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { writeFileAtomic } from "../store/files.js";

interface Loadable {
  exports: unknown;
  require(id: string): unknown;
}

/** What Node's loader calls for every file; Module.prototype has it since there are modules. */
interface Compiles {
  _compile(this: Loadable, content: string, filename: string): unknown;
}

/**
 * V8's compiled form of our own files, kept in the state dir: where git waits, reading 200 KB of JavaScript anew at every
 * commit takes a tenth of the time. Node 22 can do it by itself. V8 refuses what another version or other flags made, but
 * knows a source by its length alone, so the name of a file holds the rest. Should it ever crash on one, the shim
 * throws them all away.
 */
export function useCodeCache(stateDir: string, home: string): { save(): void } {
  const dir = join(stateDir, "code");
  if (!isPrivate(dir)) return { save: () => {} };
  const enable = (Module as { enableCompileCache?: (dir: string) => unknown }).enableCompileCache;
  if (enable !== undefined) {
    enable(dir);
    return { save: () => {} };
  }
  const fresh = new Map<string, Script>();
  const prototype = Module.prototype as unknown as Compiles;
  const compile = prototype._compile;
  prototype._compile = function (content, filename) {
    if (!filename.startsWith(home)) return compile.call(this, content, filename);
    const file = join(dir, nameFor(filename));
    const cachedData = readIfThere(file);
    const script = new Script(Module.wrap(content), { filename, ...(cachedData === null ? {} : { cachedData }) });
    if (cachedData === null || script.cachedDataRejected === true) fresh.set(file, script);
    const require = Object.assign((id: string) => this.require(id), { cache: Module["_cache" as never] });
    return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
  };
  return { save: () => save(dir, fresh) };
}

/** V8 runs what it finds there, and checks nothing of it: a folder that others can write to is not used. */
function isPrivate(dir: string): boolean {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  return stat.isDirectory() && (stat.mode & 0o022) === 0 && stat.uid === (process.getuid?.() ?? stat.uid);
}

function nameFor(filename: string): string {
  const { size, mtimeMs } = statSync(filename);
  return `${basename(filename)}.${size}.${Math.round(mtimeMs)}.${process.version}-${process.arch}`;
}

function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

/** At the end of a run, when V8 has compiled what such a run needs. */
function save(dir: string, fresh: ReadonlyMap<string, Script>): void {
  if (fresh.size === 0) return;
  // As they were when the files were loaded: fingerprint/parser.ts set the first, which unset the others.
  setFlagsFromString("--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const [file, script] of fresh) {
    const former = readdirSync(dir).filter((name) => name.split(".cjs.")[0] === basename(file).split(".cjs.")[0]);
    writeFileAtomic(file, script.createCachedData(), 0o600);
    for (const name of former) if (name !== basename(file)) rmSync(join(dir, name), { force: true });
  }
}
