// One round of what a user does, in the system that it is run in: `node round.mjs <cli.cjs> <empty folder>`. Prints one line of JSON per
// step: the verdict (nothing in it depends on a machine or a time) and how often Node was started by hooks. beds.mjs compares the lines of
// two systems. No package and no /proc is needed.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [cli, base] = process.argv.slice(2);
const repo = join(base, "repo");
const common = join(repo, ".git");
const state = join(common, "ua-hooks");
const [starts, hold] = [join(base, "starts"), join(base, "hold")];
const COMMITS = 20;
const PATIENCE_MS = 60_000;

const env = {
  ...process.env,
  ...{ HOME: base, XDG_CONFIG_HOME: join(base, "config"), NO_COLOR: "1", LC_ALL: "C" },
  ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: join(base, "gitconfig"), GIT_EDITOR: "true" },
  ...{ GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z" },
};

const isWindows = process.platform === "win32";
const slashes = (path) => path.replaceAll("\\", "/");

/** Programs of wine, and of Windows, pass a pipe on to what they start: its reader would wait for the worker. So output goes to files there. */
function spawnWithFiles(command, args, options) {
  const files = ["stdout", "stderr"].map((name) => join(base, name));
  const outputs = files.map((file) => openSync(file, "w"));
  const result = spawnSync(command, args, { ...options, stdio: ["pipe", ...outputs] });
  outputs.forEach(closeSync);
  const [stdout, stderr] = files.map((file) => readFileSync(file, "utf8"));
  return { ...result, stdout, stderr };
}

function run(command, args, options = {}) {
  const start = isWindows ? spawnWithFiles : spawnSync;
  const { status, stdout, stderr, error } = start(command, args, { cwd: repo, env, encoding: "utf8", ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} exited ${status}: ${stderr}${stdout}`);
  return { stdout, stderr };
}

const ua = (...args) => run(process.execPath, [cli, ...args]).stdout;
/** Every git command must be silent: hooks print nothing. */
function git(...args) {
  const { stdout, stderr } = run("git", args);
  if (stderr !== "") throw new Error(`git ${args.join(" ")} printed ${stderr}`);
  return stdout.trimEnd();
}
const unseen = (...args) => run("git", args, { env: { ...env, UA_HOOKS: "0" } });

function write(path, text, dir = repo) {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function commit(message, files, way = git) {
  for (const [path, text] of Object.entries(files)) write(path, text);
  way("add", "-A");
  way("commit", "-q", "-m", message);
}

/**
 * The clone's programs write down that they start and end, and do not go on while git works: a second event finds the first one's. Hooks
 * write down that they start Node before they do so: it may be up only when git, and another worker, have ended.
 */
function count() {
  const entry = join(state, "entry.sh");
  const start = 'if ! ua_is_served && [ -r "$ua_state/shim.sh" ]; then\n';
  const text = readFileSync(entry, "utf8");
  if (!text.includes(start)) throw new Error("entry.sh starts Node in another way than this script knows");
  writeFileSync(entry, text.replace(start, `${start}printf 'by a hook\\n' >>'${slashes(starts)}'\n`));
  const fs = "const fs = require('node:fs');";
  const note = (what) => `fs.appendFileSync(${JSON.stringify(starts)}, '${what}\\n')`;
  const noteRun = `if (process.argv[2] === 'run') ${note("worker")}`;
  const wait = `while (fs.existsSync(${JSON.stringify(hold)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);`;
  const line = `{ ${fs} ${note("start")}; ${noteRun}; process.on('exit', () => ${note("end")}); ${wait} }\n`;
  for (const name of ["hook.cjs", "agent.cjs"]) {
    const file = join(state, "runtime", name);
    const text = readFileSync(file, "utf8");
    const at = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
    writeFileSync(file, text.slice(0, at) + line + text.slice(at));
  }
}

const counted = (what) =>
  readFileSync(starts, "utf8")
    .split("\n")
    .filter((line) => line === what).length;
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);

function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // not there, or gone just now
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The worker removes runner.pid when it ends. Before it starts, that is the number of a shell which waits for git's end. */
function isQuiet() {
  if (textOf(join(state, "journal")) !== "") return false; // on Windows sh's number of a process may be none that Node can see
  if (isAlive(Number.parseInt(textOf(join(state, "runner.pid")), 10))) return false;
  return counted("start") === counted("end") && counted("worker") >= counted("by a hook");
}

function waitUntilQuiet() {
  const deadline = Date.now() + PATIENCE_MS;
  while (!isQuiet()) {
    if (Date.now() > deadline) throw new Error("a worker does not end");
    pause();
  }
}

function marker(name = "pending-update.json") {
  const file = join(repo, ".understand-anything", name);
  if (!existsSync(file)) return null;
  const { action, reason, filesToReanalyze, deletedFiles, fileChanges, dependents, head } = JSON.parse(
    readFileSync(file, "utf8"),
  );
  return { action, reason, filesToReanalyze, deletedFiles, fileChanges, dependents, head: head.commit };
}

/** What a step leads to: first the file that the hooks alone have written, then what a command says. */
function step(name, act, look = () => ({ marker: marker() })) {
  writeFileSync(hold, "");
  const before = counted("start");
  const result = act();
  rmSync(hold, { force: true });
  waitUntilQuiet();
  const nodes = counted("start") - before;
  const verdict = {
    ...look(result),
    journal: textOf(join(state, "journal")),
    hooks: readdirSync(join(common, "hooks")).sort(),
  };
  process.stdout.write(`${JSON.stringify({ step: name, nodes, verdict })}\n`);
}

const status = () => JSON.parse(ua("status", "--json")).status;
const withStatus = () => ({ marker: marker(), status: status() });

/** Runs the command in the client's settings as the client does, in a shell. */
function agentHook() {
  const settings = JSON.parse(readFileSync(join(repo, ".claude/settings.local.json"), "utf8"));
  const { command } = settings.hooks.SessionStart[0].hooks[0];
  const input = JSON.stringify({ session_id: "s", cwd: repo, hook_event_name: "SessionStart", source: "startup" });
  rmSync(hold); // the client waits
  const [program, ...args] = isWindows ? command.split(" ") : ["/bin/sh", "-c", command];
  return run(program, args, { input }).stdout;
}

const twice = (parameters) => `export function twice(${parameters}): number {\n  return x * 2;\n}\n`;
const added = (at) => ({ [`src/added${at}.ts`]: `export const added${at} = ${at};\n` });

function prepare() {
  mkdirSync(repo, { recursive: true });
  writeFileSync(starts, "");
  writeFileSync(
    env.GIT_CONFIG_GLOBAL,
    "[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n[core]\n\tautocrlf = false\n",
  );
  run("git", ["init", "-q"]);
  rmSync(join(common, "hooks"), { recursive: true, force: true });
  mkdirSync(join(common, "hooks"));
  commit("start", {
    "src/a.ts": 'import { twice } from "./b.js";\n\nexport const add = (x: number, y: number) => twice(x) + y;\n',
    "src/b.ts": twice("x: number"),
    "tools/run.py": "def run(argument):\n    return argument\n",
  });
}

function branches() {
  unseen("checkout", "-q", "-b", "side");
  commit("side", { "src/side.ts": "export function side(): void {}\n" }, unseen);
  unseen("checkout", "-q", "-b", "long", "HEAD~1");
  for (let at = 0; at < COMMITS; at++) commit(`added ${at}`, added(at), unseen);
  unseen("checkout", "-q", "main");
}

prepare();
step("install", () => ua("install", "--yes", "--agent", "claude"), withStatus);
count();
step("commit", () => commit("wider", { "src/b.ts": twice("x: number, y = 1") }));
step("amend", () => {
  write("tools/run.py", "def run(argument, other):\n    return argument\n");
  git("commit", "-q", "-a", "--amend", "-m", "wider still");
});
branches();
step("merge", () => git("merge", "-q", "--no-ff", "-m", "merge", "side"));
step("rebase of 20", () => git("rebase", "-q", "main", "long"), withStatus);
step("checkout", () => git("checkout", "-q", "main"), withStatus);
step(
  "worktree",
  () => git("worktree", "add", "-q", "--detach", "../linked", "side"),
  () => ({
    marker: marker("pending-update.linked.json"),
  }),
);
git("worktree", "remove", "--force", "../linked");
waitUntilQuiet();
step("renames", () => {
  git("mv", "src/side.ts", "src/Side.ts");
  commit("case and accents", { "src/caf\u00e9.ts": "export const cup = 1;\n" });
});
/** On Windows the launcher is named after `sh`. */
const answerOf = (text) =>
  JSON.parse(text)
    .hookSpecificOutput.additionalContext.replaceAll(slashes(base), "<base>")
    .replace("`sh '<base>", "`'<base>");
step("agent hook", agentHook, (text) => ({ answer: answerOf(text) }));
step(
  "uninstall",
  () => ua("uninstall", "--purge", "--yes"),
  () => ({
    status: git("status", "--porcelain"),
    left: ["ua-hooks", "hooks/post-commit"].filter((name) => existsSync(join(common, name))),
    settings: existsSync(join(repo, ".claude")),
  }),
);
