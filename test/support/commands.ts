import { spawn, spawnSync } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Result } from "./repo.js";
import { newTempDir } from "./template.js";

/** What a process begins with. */
interface Call {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs a program to its end. */
export function runProgram(program: string, args: readonly string[], { cwd, env }: Call): Result {
  const options = { cwd, env, encoding: "utf8", maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error !== undefined) throw error;
  return { code: status ?? -1, stdout, stderr };
}

/**
 * Runs a command of ours. Most tests are not about its start, which takes several times as long as the rest of it: one
 * process runs their commands (command-server.cjs), each as in a process of its own. The long forms start them all.
 */
export function runCommand(cli: string, args: readonly string[], call: Call): Result {
  if (!canShare(args, call)) return runProgram(process.execPath, [cli, ...args], call);
  server ??= startServer(cli);
  const { requests, answers, stdout, stderr } = server;
  writeSync(requests, `${JSON.stringify({ args, ...call, umask: process.umask() })}\n`);
  const answer = Buffer.alloc(64);
  // A status, and `last` where the command has ended the process; nothing where it was killed.
  const [code = "", isLast] = answer.toString("utf8", 0, readSync(answers, answer)).split(" ");
  const result = { code: code === "" ? -1 : Number(code), stdout: takeText(stdout), stderr: takeText(stderr) };
  if (code === "" || isLast !== undefined) stopServer(server);
  return result;
}

/**
 * Not what is about a process: its end by a fault, its stdin, how it is started, its compiled code. Nor an install: the tests copy its
 * database, which SQLite may leave in two files until the process ends.
 */
function canShare([name = ""]: readonly string[], { env }: Call): boolean {
  if (process.platform === "win32" || process.env.UA_HOOKS_LONG !== undefined) return false;
  if (["agent", "hook", "install", "mcp"].includes(name) || env.UA_HOOKS_CODE === undefined) return false;
  return !Object.keys(env).some((variable) => variable === "UA_HOOKS_FAULT" || variable.startsWith("NODE_"));
}

/** Descriptors: two named pipes, and the files that the commands print into. */
interface Server {
  requests: number;
  answers: number;
  stdout: number;
  stderr: number;
}

let server: Server | null = null;

function startServer(cli: string): Server {
  const folder = newTempDir();
  const at = (name: string) => join(folder, name);
  try {
    const made = spawnSync("mkfifo", [at("requests"), at("answers")]);
    if (made.status !== 0) throw new Error(`mkfifo: ${made.stderr}`);
    const [stdout, stderr] = [openSync(at("stdout"), "a+"), openSync(at("stderr"), "a+")];
    const script = join(dirname(cli), "../test/support/command-server.cjs");
    // It ends when this process does: then the pipe of requests does.
    spawn(process.execPath, [script, cli, folder], { stdio: ["ignore", stdout, stderr], env: {} }).unref();
    return { requests: openSync(at("requests"), "w"), answers: openSync(at("answers"), "r"), stdout, stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stopServer(stopped: Server): void {
  closeSync(stopped.requests);
  while (readSync(stopped.answers, Buffer.alloc(64)) > 0); // until it has ended
  for (const descriptor of [stopped.answers, stopped.stdout, stopped.stderr]) closeSync(descriptor);
  server = null;
}

/** What a command has printed; the next one finds the file empty. */
function takeText(descriptor: number): string {
  const text = Buffer.alloc(fstatSync(descriptor).size);
  for (let at = 0; at < text.length; ) at += readSync(descriptor, text, at, text.length - at, at);
  ftruncateSync(descriptor);
  return text.toString();
}
