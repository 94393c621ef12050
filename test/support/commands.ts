import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, ftruncateSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "./repo.js";

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

/** .build/program/dist and .build/test/support: see scripts/build.mjs. */
const cli = join(import.meta.dirname, "cli.cjs");
const SERVER = join(import.meta.dirname, "../../test/support/command-server.mjs");

/**
 * A command of ua-hooks. In the short form of the tests by a process that has the program loaded (command-server.ts): half of the CPU.
 * In one of its own in the long forms, on Windows (no named pipes), and where it is to die, reads stdin or ends by itself, and for its own code cache.
 */
export function runCommand(args: readonly string[], call: Call): Result {
  if (!isServed(args, call)) return runAlone(args, call);
  server ??= startServer();
  return server.run(args, call);
}

/** In a process of its own: at its end the whole database is in one file. */
export function runAlone(args: readonly string[], call: Call): Result {
  return runProgram(process.execPath, [cli, ...args], call);
}

const OWN_PROCESS = new Set(["mcp", "agent", "hook", "merge-driver"]);

function isServed(args: readonly string[], { env }: Call): boolean {
  if (process.platform === "win32" || process.env.UA_HOOKS_TEST_COMMANDS !== "served") return false;
  if (Object.keys(env).some((name) => /^(NODE_|UA_HOOKS_FAULT)/.test(name))) return false;
  return env.UA_HOOKS_CODE !== undefined && !OWN_PROCESS.has(args[0] ?? "");
}

interface Server {
  run(args: readonly string[], call: Call): Result;
}

let server: Server | null = null;

function startServer(): Server {
  const dir = mkdtempSync(join(tmpdir(), "ua-hooks-commands-"));
  const [requests, replies, stdout, stderr] = ["requests", "replies", "stdout", "stderr"].map((name) =>
    join(dir, name),
  ) as [string, string, string, string];
  spawnSync("mkfifo", [requests, replies]);
  const append = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
  const outputs = [openSync(stdout, append), openSync(stderr, append)] as const;
  const env = { ...process.env, UA_HOOKS_TEST_SERVER: dir };
  const child = spawn(process.execPath, [SERVER], { cwd: "/", env, stdio: ["ignore", ...outputs] });
  child.unref();
  const to = openSync(requests, "w"); // waits until the other end is open
  const from = openSync(replies, "r");
  rmSync(dir, { recursive: true });
  const stop = () => {
    for (const fd of [to, from, ...outputs]) closeSync(fd);
    server = null;
  };
  const run = (args: readonly string[], { cwd, env }: Call): Result => {
    writeSync(to, `${JSON.stringify({ args, cwd, env })}\n`);
    const { code, last } = JSON.parse(lineFrom(from) ?? '{"code":-1,"last":true}') as { code: number; last: boolean };
    const [out, err] = outputs.map((fd) => contentOf(fd)) as [string, string];
    if (last) stop();
    return { code, stdout: out, stderr: err };
  };
  return { run };
}

/** Read from its beginning, and emptied for the next command. */
function contentOf(fd: number): string {
  const size = 1 << 16;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const part = Buffer.alloc(size);
    const length = readSync(fd, part, 0, size, at);
    if (length === 0) break;
    parts.push(part.subarray(0, length));
    at += length;
  }
  ftruncateSync(fd);
  return Buffer.concat(parts).toString("utf8");
}

/** null: the other end is closed. */
function lineFrom(fd: number): string | null {
  let line = "";
  const part = Buffer.alloc(256);
  while (!line.endsWith("\n")) {
    const length = readSync(fd, part);
    if (length === 0) return null;
    line += part.toString("utf8", 0, length);
  }
  return line;
}
