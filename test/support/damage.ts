import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repo } from "./repo.js";

export const truncated = (good: string) => good.slice(0, Math.floor(good.length / 2));
export const conflicted = (good: string) => `<<<<<<< HEAD\n${good}=======\n{}\n>>>>>>> topic\n`;

/** Ways in which a JSON file goes wrong; each takes the good text. */
export const JSON_DAMAGE: Record<string, (good: string) => string> = {
  garbage: () => "\u0000\u0001 not json at all",
  truncated,
  empty: () => "",
  "conflict markers": conflicted,
  "a list": () => "[]\n",
  "a word": () => '"hello"\n',
  null: () => "null\n",
};

/**
 * With one file damaged: git commits as ever and says nothing; `status` and `pending` exit 5 and name the file and the
 * way out; the file stays byte for byte; and when it is mended, the next read is right again.
 */
export function assertDamage(
  repo: Repo,
  path: string,
  bad: string | Buffer,
  sentence: RegExp,
  commands = ["status", "pending"],
): void {
  const file = join(repo.dir, path);
  const good = readFileSync(file);
  writeFileSync(file, bad);
  commitChange(repo);
  for (const command of commands) {
    const { code, stdout, stderr } = repo.ua(command);
    assert.deepEqual({ code, stdout }, { code: 5, stdout: "" }, `${command}: ${stderr}`);
    assert.ok(stderr.includes(file), `${command} names the file: ${stderr}`);
    assert.match(stderr, sentence);
    assert.equal(stderr.trimEnd().split("\n").length, 2, `what happened, and what to do: ${stderr}`);
  }
  assert.deepEqual(readFileSync(file), Buffer.from(bad), "the damaged file is kept byte for byte");
  writeFileSync(file, good);
  assertRight(repo);
}

let changes = 0;

/** A change of signature, committed; git must not notice anything. */
export function commitChange(repo: Repo): void {
  repo.write({ "src/b.ts": `export function twice(x: number, y${changes++}: number): number {\n  return x * 2;\n}\n` });
  assert.deepEqual(repo.tryGit("commit", "-q", "-a", "-m", "change"), { code: 0, stdout: "", stderr: "" });
}

export function assertRight(repo: Repo): void {
  const status = repo.uaJson<{ status: string; lastVerifiedSha: string; pending: { filesToReanalyze: string[] } }>(
    "status",
  );
  assert.equal(status.status, "pending");
  assert.equal(status.lastVerifiedSha, repo.head());
  assert.deepEqual(status.pending.filesToReanalyze, ["src/b.ts"]);
}
