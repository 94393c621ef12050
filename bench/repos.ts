import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { time } from "./measure.js";

/** In the bench build import.meta.dirname is dist/ (scripts/build.mjs). */
export const dist = import.meta.dirname;
const modules = join(dist, "..", "node_modules");

export interface Place {
  dir: string;
  env: NodeJS.ProcessEnv;
}

export function cleanEnv(home: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^(GIT_|NODE_|npm_|UA_HOOKS|CI$)/.test(name)) env[name] = value;
  }
  const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@x" };
  return { ...env, ...who, HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_EDITOR: "true" };
}

export function git({ dir, env }: Place, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: dir,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const source = (name: string) => `import { log } from "./log.js";

/** One of many. */
export function ${name}(count: number, label = "x"): string {
  const parts: string[] = [];
  for (let at = 0; at < count; at++) {
    if (at % 2 === 0) parts.push(label + at);
    else parts.push(String(at));
  }
  log(parts.length);
  return parts.join(",");
}

export class Box${name} {
  private readonly items: number[] = [];
  add(item: number): void {
    this.items.push(item);
  }
  get size(): number {
    return this.items.length;
  }
}
`;

/**
 * A repository of so many TypeScript files, a hundred a folder, in one commit. `texts`: so many different contents, again and
 * again; known content is parsed once, so that a baseline of many files is there in a moment.
 */
export function makeRepo(base: string, name: string, files: number, texts = files): Place {
  const dir = join(base, name);
  const env = cleanEnv(base);
  mkdirSync(dir, { recursive: true });
  const place = { dir, env };
  git(place, "init", "-q", "-b", "main");
  git(place, "config", "gc.auto", "0"); // git gc must not run during a measurement
  for (let at = 0; at < files; at++) {
    const path = join(dir, "src", `d${Math.floor(at / 100)}`, `f${at}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source(`f${at % texts}`));
  }
  git(place, "add", "-A");
  git(place, "commit", "-q", "-m", "start");
  git(place, "repack", "-a", "-d", "-q");
  return place;
}

export function installOurs(place: Place, ...args: string[]): void {
  execFileSync(process.execPath, [join(dist, "cli.cjs"), "install", ...args], {
    cwd: place.dir,
    env: place.env,
    stdio: "ignore",
  });
}

type Peer = "husky" | "lefthook" | "simple-git-hooks";

/** The peers, each running `true` in the four events. */
export function installPeer(place: Place, peer: Peer): void {
  const events = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];
  if (peer === "lefthook") {
    const text = events.map((event) => `${event}:\n  jobs:\n    - run: "true"\n`).join("");
    writeFileSync(join(place.dir, "lefthook.yml"), text);
  } else if (peer === "simple-git-hooks") {
    const hooks = Object.fromEntries(events.map((event) => [event, "true"]));
    writeFileSync(join(place.dir, "package.json"), JSON.stringify({ name: "x", "simple-git-hooks": hooks }));
  }
  reinstallPeer(place, peer);
  if (peer === "husky") for (const event of events) writeFileSync(join(place.dir, ".husky", event), "true\n");
}

/** A peer's own install. */
export function reinstallPeer(place: Place, peer: Peer): void {
  const programs: Record<Peer, string[]> = {
    husky: ["husky/bin.js"],
    lefthook: ["lefthook/bin/index.js", "install"],
    "simple-git-hooks": ["simple-git-hooks/cli.js"],
  };
  const [bin = "", ...args] = programs[peer];
  const { status, stderr } = spawnSync(process.execPath, [join(modules, bin), ...args], {
    cwd: place.dir,
    env: place.env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${peer}: ${stderr}`);
}

export const HOOK = ".git/hooks/post-commit";

/** As git runs it, with git waiting: the hook file, the shim, Node. */
export function hook(place: Place): number {
  const { dir, env } = withForeground(place);
  return time("sh", [HOOK], { cwd: dir, env });
}

let edits = 0;

/** A new function at the end of these files, in place of the last one that this added; committed without our hooks. */
export function editAndCommit({ dir, env }: Place, paths: readonly string[]): void {
  for (const path of paths) {
    const file = join(dir, path);
    const text = readFileSync(file, "utf8").replace(/^export const added.*\n/m, "");
    writeFileSync(file, `${text}export const added${edits++} = () => ${edits};\n`);
  }
  git({ dir, env: { ...env, UA_HOOKS: "0" } }, "commit", "-q", "-a", "-m", "edit");
}

/** The file that changes where one does. */
export const CHANGED = "src/d1/f107.ts";

/** One changed TypeScript file, from the end of git's commit on. */
export function hookAfterEdit(place: Place, paths: readonly string[] = [CHANGED]): number {
  editAndCommit(place, paths);
  return hook(place);
}

/** git waits for Phase 0 and 1 there. */
export function withForeground({ dir, env }: Place): Place {
  return { dir, env: { ...env, UA_HOOKS_FOREGROUND: "1" } };
}

/** Waits until no worker runs, which would disturb the next measurement. */
export async function quiet(place: Place): Promise<void> {
  const file = join(place.dir, ".git/ua-hooks/runner.pid");
  while (existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5));
}
