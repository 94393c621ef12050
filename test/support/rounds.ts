import assert from "node:assert/strict";
import { join } from "node:path";
import type { Repo, Result } from "./repo.js";
import { detached, quiet, unseen } from "./workers.js";

/**
 * One round that leads a runner through all it can do: a worktree went and another one took its name and has something
 * structural; in the main one a comment was committed and the commit amended, so that meta.json and base move along.
 */
export class Round {
  readonly repo: Repo;
  readonly tree: Repo;
  #count = 0;

  constructor(repo: Repo) {
    this.repo = repo;
    this.tree = repo.at(join(repo.base, "tree"));
  }

  prepare(): void {
    const off = unseen(this.repo);
    const at = ++this.#count;
    off.tryGit("worktree", "remove", "--force", this.tree.dir);
    off.git("worktree", "add", "-q", "-B", "side", this.tree.dir);
    const tree = off.at(this.tree.dir);
    tree.write({ "src/b.ts": `export function thrice(x${at}: number): void {}\n` });
    tree.git("commit", "-q", "-a", "-m", `structural ${at}`);
    off.write({ "src/a.ts": this.#comment(at) });
    off.git("commit", "-q", "-a", "-m", `comment ${at}`);
  }

  /** The event: an amended comment. */
  act(extra: NodeJS.ProcessEnv = {}): Result {
    this.repo.write({ "src/a.ts": this.#comment(`${this.#count} again`) });
    const result = detached(this.repo, extra).tryGit("commit", "-q", "-a", "--amend", "-m", "amended");
    assert.deepEqual(result, { code: 0, stdout: "", stderr: "" }, "git never notices");
    return result;
  }

  #comment(what: unknown): string {
    return `// ${what}\n${this.repo.read("src/a.ts").replace(/^\/\/.*\n/, "")}`;
  }

  /** By one more commit or by one read a view, in turn. */
  async heal(): Promise<void> {
    if (this.#count % 2 === 0) {
      this.repo.commit("one more", { "src/a.ts": this.#comment("one more") });
      await quiet(this.repo);
      return;
    }
    for (const worktree of [this.repo, this.tree]) {
      const { code, stderr } = worktree.ua("pending");
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    }
  }
}
