import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { analysisOf, applyTo } from "./agent.js";
import { makeRepo, type Repo, SMALL_PROJECT } from "./repo.js";

/** A bare repository that several clones have as `origin`. */
export interface Hub {
  /** The first clone, which made the project. */
  first: Repo;
  /** The bare repository itself. */
  dir: string;
  url: string;
  clone(name: string): Repo;
  /** Another address of the same repository, for the first clone and for those to come. */
  reachBy(url: string): void;
}

/** The small project on a remote. */
export function makeHub(t: TestContext, { files = SMALL_PROJECT } = {}): Hub {
  const first = makeRepo(t, { name: "first" });
  const dir = join(first.base, "hub.git");
  first.git("init", "-q", "--bare", dir);
  first.commit("start", files);
  first.git("remote", "add", "origin", dir);
  first.git("push", "-q", "-u", "origin", "main");
  first.git("remote", "set-head", "origin", "main");
  install(first);
  const hub: Hub = {
    ...{ first, dir, url: dir },
    clone: (name) => {
      first.git("clone", "-q", hub.url, join(first.base, name));
      const repo = first.at(join(first.base, name));
      install(repo);
      return repo;
    },
    reachBy: (url) => {
      hub.url = url;
      first.git("remote", "set-url", "origin", url);
    },
  };
  return hub;
}

function install(repo: Repo): void {
  const { code, stderr } = repo.ua("install", "--yes");
  if (code !== 0) throw new Error(stderr);
}

export function shareOn(repo: Repo, trust = "pushers", ...args: string[]): string {
  return repo.uaJson<{ author: string }>("share", "on", "--yes", "--trust", trust, ...args).author;
}

interface Pulled {
  trust: string;
  taken: { author: string; added: number; refused: number }[];
  unsigned: string[];
  unreadable: string[];
  ignored: number;
  settled: { files: number; tokens: number };
}

interface Pushed {
  added: number;
  author: string;
  held: [string, number][];
  state: string;
  reason: string | null;
}

export const pull = (repo: Repo): Pulled => repo.uaJson<{ pulled: Pulled }>("share", "pull").pulled;
export const push = (repo: Repo): Pushed => repo.uaJson<{ pushed: Pushed }>("share", "push").pushed;
export const sync = (repo: Repo) => repo.uaJson<{ pulled: Pulled; pushed: Pushed }>("share", "sync");

/** What an agent does about some files. */
export function describe(repo: Repo, paths: readonly string[], words: string): void {
  const { pending, refused } = applyTo(repo, analysisOf(repo, paths, words));
  if (refused.length > 0) throw new Error(`refused: ${JSON.stringify({ refused, pending })}`);
}

/** All that a clone has stored, as `export --descriptions` writes it. */
export interface StoredLine {
  type: string;
  path: string;
  name: string;
  hash: string;
  text: { summary: string };
  source: "here" | "shared" | "tracked";
  author: string | null;
  at: string;
  oid: string;
  commit: string | null;
}

export function stored(repo: Repo): StoredLine[] {
  const file = join(repo.dir, ".git", "lines.jsonl");
  repo.uaJson("export", "--descriptions", file);
  const lines = repo.read(".git/lines.jsonl").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as StoredLine);
}

/** A key of its own, with which git signs in this clone. Returns the public one. */
export function makeKey(repo: Repo): string {
  const file = join(repo.dir, ".git", "key");
  const { status, stderr } = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
  if (status !== 0) throw new Error(String(stderr));
  repo.git("config", "gpg.format", "ssh");
  repo.git("config", "user.signingKey", file);
  return readFileSync(`${file}.pub`, "utf8").trim();
}
