// Runs one command after another in a Node that stays, as commands.ts asks: a start of Node and of the program costs four times
// what most commands do. Each command gets the program's files anew (compiled once), its environment and its folder, and has ended
// where a process would end: when nothing is left to wait for.
const { openSync, readSync, writeSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");
const { Readable } = require("node:stream");
const { Script } = require("node:vm");

const [cli, folder] = process.argv.slice(2);
const requests = openSync(`${folder}/requests`, "r");
const answers = openSync(`${folder}/answers`, "w");

const scripts = new Map();
const compile = Module.prototype._compile;
/** The program changes it, too (src/platform/code-cache.ts). */
function compileOnce(content, filename) {
  if (!filename.startsWith(dirname(cli))) return compile.call(this, content, filename);
  const script = scripts.get(filename) ?? new Script(Module.wrap(content.replace(/^#!/, "//")), { filename });
  scripts.set(filename, script);
  const ownRequire = Object.assign((id) => this.require(id), { cache: Module._cache });
  return script.runInThisContext().call(this.exports, this.exports, ownRequire, this, filename, dirname(filename));
}

/** A line; null where the tests have ended. */
function readRequest() {
  const chunks = [];
  const chunk = Buffer.alloc(1 << 16);
  for (;;) {
    const size = readSync(requests, chunk);
    if (size === 0) return null;
    chunks.push(Buffer.from(chunk.subarray(0, size)));
    if (chunk[size - 1] === 10) return JSON.parse(Buffer.concat(chunks).toString());
  }
}

const answer = (text) => writeSync(answers, text);

function begin({ args, cwd, env, umask }) {
  process.chdir(cwd);
  process.umask(umask);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env, { UA_HOOKS_CODE: "/dev/null" }); // no folder: nothing is kept
  process.argv = [process.execPath, cli, ...args];
  process.exitCode = 0;
  Object.defineProperty(process, "stdin", { value: Readable.from([]), configurable: true });
  Module.prototype._compile = compileOnce;
  for (const file of Object.keys(require.cache)) if (file.startsWith(dirname(cli))) delete require.cache[file];
  require(cli);
}

let isRunning = false;
process.on("beforeExit", () => {
  process.chdir("/"); // the test may remove or unmount the folder
  // After an error, files may be open that only the end of a process closes: libsql keeps a database that it could not use.
  if (isRunning && process.exitCode > 2) return;
  if (isRunning) answer(String(process.exitCode));
  isRunning = false;
  const request = readRequest();
  if (request === null) return;
  isRunning = true;
  setImmediate(begin, request);
});
process.on("exit", (code) => {
  if (isRunning) answer(`${code} last`);
});
