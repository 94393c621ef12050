import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { analysisOf, summaries } from "../support/agent.js";
import { type Repo, type Result, repoAt } from "../support/repo.js";

/** The same repository for a process with another environment. */
export function withEnv(repo: Repo, env: NodeJS.ProcessEnv): Repo {
  return repoAt(repo.dir, repo.base, { ...repo.env, ...env });
}

/** Commits that no hook sees, each unlike any before it. */
export class Author {
  readonly repo: Repo;
  #count = 0;

  constructor(repo: Repo) {
    this.repo = repo;
  }

  get count(): number {
    return this.#count;
  }

  /** Another parameter in src/b.ts, in all of git's eyes and ours a change. */
  structural(): Record<string, string> {
    return { "src/b.ts": `export function twice(x: number, by${++this.#count} = 2): number {\n  return x * by;\n}\n` };
  }

  comment(): Record<string, string> {
    const text = this.repo.read("src/a.ts").replace(/^\/\/.*\n/, "");
    return { "src/a.ts": `// ${++this.#count}\n${text}` };
  }

  /** Now the one, now the other. */
  next(): Record<string, string> {
    return this.#count % 2 === 0 ? this.structural() : this.comment();
  }

  unseen(files: Record<string, string>): void {
    withEnv(this.repo, { UA_HOOKS: "0" }).commit(`unseen ${this.#count}`, files);
  }
}

/** `git commit` and nothing around it, as the hooks are hit. */
export function commitUnder(repo: Repo, env: NodeJS.ProcessEnv, files: Record<string, string>): Result {
  repo.write(files);
  return withEnv(repo, env).tryGit("commit", "-q", "-a", "-m", "step");
}

export function ok(result: Result, what: string): Result {
  assert.equal(result.code, 0, `${what}: ${result.stderr}`);
  return result;
}

/** What an agent would deliver for src/b.ts, in a file. */
export function resultFile(repo: Repo, words: string): string {
  const file = join(repo.base, "result.json");
  writeFileSync(file, JSON.stringify(analysisOf(repo, ["src/b.ts"], words)));
  return file;
}

export function assertDelivered(repo: Repo, words: string): void {
  assert.equal(summaries(repo).get("file:src/b.ts"), `${words}: src/b.ts`, "what was delivered is in the graph");
}

/** As `pending --json` has it. */
export interface Pending {
  state: string;
  filesToReanalyze?: string[];
  lease?: { id: string; holder: string } | null;
}

export const pendingOf = (repo: Repo) => repo.uaJson<Pending & Record<string, unknown>>("pending");
