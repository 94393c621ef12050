import { spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { root, until } from "./repo.js";

/** How clones reach a bare repository. */
export interface Served {
  url: string;
  /** Makes the remote say no to everything, not answer, or break off in the middle of an answer; null: as usual again. */
  fail(how: "refuse" | "hang up" | "cut" | null): void;
}

export type Transport = "file" | "daemon" | "http";

/** A process that ends with the test. */
function startServer(t: TestContext, command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  t.after(async () => {
    const ended = new Promise((resolve) => child.once("close", resolve));
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await ended;
  });
  return child;
}

export async function serve(t: TestContext, transport: Transport, dir: string): Promise<Served> {
  if (transport === "http") return serveHttp(t, dir);
  if (transport === "daemon") return serveDaemon(t, dir);
  return { url: `file://${dir}`, fail: (how) => hide(dir, how !== null) };
}

/** A disk that is not there. */
function hide(dir: string, isHidden: boolean): void {
  const [from, to] = isHidden ? [dir, `${dir}.away`] : [`${dir}.away`, dir];
  spawnSync("mv", ["-T", from, to]);
}

async function serveHttp(t: TestContext, dir: string): Promise<Served> {
  const mode = `${dir}.mode`;
  const child = startServer(t, process.execPath, [join(root, "test/fixtures/git-http.mjs"), dirname(dir), mode]);
  let port = "";
  child.stdout?.on("data", (chunk) => {
    port += chunk;
  });
  await until("the server listens", () => port.endsWith("\n"));
  spawnSync("git", ["-C", dir, "config", "http.receivepack", "true"]);
  const fail: Served["fail"] = (how) => (how === null ? rmSync(mode, { force: true }) : writeFileSync(mode, how));
  return { url: `http://127.0.0.1:${port.trim()}/${dir.split("/").at(-1)}`, fail };
}

async function serveDaemon(t: TestContext, dir: string): Promise<Served> {
  const port = await freePort();
  const args = ["--reuseaddr", "--listen=127.0.0.1", `--port=${port}`, "--export-all", "--enable=receive-pack"];
  // Not by way of git, which would be another process to end.
  const daemon = join(spawnSync("git", ["--exec-path"], { encoding: "utf8" }).stdout.trim(), "git-daemon");
  startServer(t, daemon, [...args, `--base-path=${dirname(dir)}`, dirname(dir)]);
  const url = `git://127.0.0.1:${port}/${dir.split("/").at(-1)}`;
  await until("the daemon listens", () => spawnSync("git", ["ls-remote", url]).status === 0);
  return { url, fail: (how) => hide(dir, how !== null) };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
