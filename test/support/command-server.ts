// Runs commands of ua-hooks one after another in one process, for commands.ts: a start of Node and of the program costs more CPU than most
// commands. Each command has modules of its own, evaluated anew, and ends when nothing is left to do, as a process does.
import { openSync, readSync, statSync, writeSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";

interface Request {
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** The program under test: .build/program/dist. */
const home = import.meta.dirname;
const cli = join(home, "cli.cjs");
const load = createRequire(cli);
const [requests, replies] = ["requests", "replies"].map((name) => join(process.env.UA_HOOKS_TEST_SERVER ?? "", name));
const from = openSync(requests ?? "", "r");
const to = openSync(replies ?? "", "w");
const user = process.getuid?.();
/** What listened to events of the process when the command began. */
let before = new Map<string | symbol, unknown[]>();

keepCompiled();
keepGrammars();

/** A file is compiled once. The program's own cache of compiled code (platform/code-cache.ts) is for processes: it finds nothing to do. */
function keepCompiled(): void {
  const scripts = new Map<string, Script>();
  const prototype = Module.prototype as unknown as {
    _compile(this: NodeModule, content: string, file: string): unknown;
  };
  const compile = prototype._compile;
  const ours: typeof compile = function (content, filename) {
    if (!filename.startsWith(home)) return compile.call(this, content, filename);
    const { size, mtimeMs } = statSync(filename);
    const key = `${filename} ${size} ${mtimeMs}`;
    const script = scripts.get(key) ?? new Script(Module.wrap(content.replace(/^#!.*/, "")), { filename });
    scripts.set(key, script);
    const require = Object.assign((id: string) => this.require(id), { cache: load.cache });
    return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
  };
  Object.defineProperty(prototype, "_compile", { get: () => ours, set: () => {} });
}

/** V8 takes longer to compile a grammar than a command takes for all the rest. Each command has instances of its own. */
function keepGrammars(): void {
  const engine = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<object> } })
    .WebAssembly;
  const { compile } = engine;
  const kept: { bytes: Uint8Array; code: Promise<object> }[] = [];
  engine.compile = (bytes) => {
    const known = kept.find((one) => Buffer.compare(one.bytes, bytes) === 0);
    if (known !== undefined) return known.code;
    const code = compile(bytes);
    kept.push({ bytes, code });
    return code;
  };
}

/** The next request; null when the test's process has ended. It waits in the kernel, so that nothing else of this process runs. */
function next(): Request | null {
  const parts: Buffer[] = [];
  const part = Buffer.alloc(1 << 16);
  for (;;) {
    const length = readSync(from, part);
    if (length === 0) return null;
    parts.push(Buffer.from(part.subarray(0, length)));
    if (part[length - 1] === 10) return JSON.parse(Buffer.concat(parts).toString()) as Request;
  }
}

function begin(): void {
  const request = next();
  if (request === null) {
    process.removeListener("beforeExit", end);
    return;
  }
  const { args, cwd, env } = request;
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = undefined;
  before = listeners();
  for (const file of Object.keys(load.cache))
    if (file.startsWith(home) && file.endsWith(".cjs")) delete load.cache[file];
  setImmediate(() => {}); // "beforeExit" comes again only if something is left to do, and some commands need no turn of the loop
  load(cli);
}

const listeners = () => new Map(process.eventNames().map((name) => [name, process.listeners(name as "exit")]));

/** Nothing is left to do: a process would end now. One that has become another user's (platform/owner.ts) cannot go on. */
function end(): void {
  for (const [name, all] of listeners()) {
    for (const listener of all.filter((one) => !before.get(name)?.includes(one))) {
      if (name === "exit") (listener as (code: number) => void)(Number(process.exitCode ?? 0));
      process.removeListener(name as "exit", listener);
    }
  }
  const isSame = process.getuid?.() === user && process.geteuid?.() === user;
  const code = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  process.chdir("/");
  writeSync(to, `${JSON.stringify({ code, last: !isSame })}\n`);
  if (isSame) begin();
  else process.removeListener("beforeExit", end);
}

process.on("beforeExit", end);
begin();
