import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Twins, twins } from "../support/twins.js";

// Which hook fires when, as git has it: what we build on, and what a new version of git may change.

const EVENTS = ["post-commit", "post-checkout", "post-merge", "post-rewrite"] as const;
type Counts = Partial<Record<(typeof EVENTS)[number], number>>;

/** Someone else's hook, below our block in the same files; it keeps what git handed over. */
function addForeignHooks({ repo }: Twins): void {
  for (const event of EVENTS) {
    const stdin = event === "post-rewrite" ? `cat >>"${repo.base}/pairs"\n` : "";
    appendFileSync(join(repo.dir, ".git/hooks", event), `echo "${event} $1" >>"${repo.base}/fired"\n${stdin}`);
  }
}

/** With no program to start, the journal stays as the shim wrote it: one line an event. */
function journalOnly(both: Twins): Twins {
  rmSync(join(both.repo.dir, ".git/ua-hooks/runtime"), { recursive: true });
  addForeignHooks(both);
  return both;
}

/**
 * What fired while `act` ran, by the foreign hook's account and by our journal's, which leaves out a checkout that
 * moves no commit. Returns what the foreign post-rewrite read from its stdin.
 */
function counter({ repo }: Twins) {
  const files = {
    fired: join(repo.base, "fired"),
    journal: join(repo.dir, ".git/ua-hooks/journal"),
    pairs: join(repo.base, "pairs"),
  };
  const textOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return (what: string, act: () => void, fired: Counts, journal = fired): string => {
    for (const file of Object.values(files)) rmSync(file, { force: true });
    act();
    const found = { fired: countOf(textOf(files.fired)), journal: countOf(textOf(files.journal)) };
    assert.deepEqual(found, { fired, journal }, what);
    return textOf(files.pairs);
  };
}

function countOf(lines: string): Counts {
  const counts: Counts = {};
  for (const line of lines.split("\n").filter((one) => one !== "")) {
    const event = line.split(" ")[0] as keyof Counts;
    counts[event] = (counts[event] ?? 0) + 1;
  }
  return counts;
}

const commits = (both: Twins, from: number, to: number) => {
  for (let at = from; at <= to; at++) both.commit(`commit ${at}`, { [`src/n${at}.ts`]: `export const n = ${at};\n` });
};

test("commits, merges, picks and checkouts fire what they are known to fire", (t) => {
  const both = journalOnly(twins(t));
  const { git, commit } = both;
  const count = counter(both);

  count("commit", () => commit("one", { "src/one.ts": "export const one = 1;\n" }), { "post-commit": 1 });
  count("checkout -b: old and new are the same", () => git("checkout", "-b", "topic"), { "post-checkout": 1 }, {});
  commits(both, 1, 3);
  count("checkout", () => git("checkout", "main"), { "post-checkout": 1 });
  count("checkout -- file", () => git("checkout", "--", "src/b.ts"), { "post-checkout": 1 }, {});
  count("restore", () => git("restore", "src/b.ts"), { "post-checkout": 1 }, {});
  count("worktree add", () => git("worktree", "add", "../linked", "topic"), { "post-checkout": 1 });
  count("cherry-pick of two", () => git("cherry-pick", "topic~2", "topic~1"), { "post-commit": 2 });
  count("merge", () => git("merge", "--no-edit", "topic"), { "post-merge": 1 });
  git("reset", "-q", "--hard", "topic~1");
  count("merge --ff-only", () => git("merge", "--ff-only", "topic"), { "post-merge": 1 });
  git("reset", "-q", "--hard", "topic~1");
  count("merge --squash", () => git("merge", "--squash", "topic"), { "post-merge": 1 });
  count("and its commit", () => git("commit", "-q", "-m", "squashed"), { "post-commit": 1 });
  const conflict = () => {
    commit("here", { "src/n3.ts": "export const here = 3;\n" });
    git("checkout", "-q", "topic~1");
    commit("there", { "src/n3.ts": "export const there = 3;\n" });
    both.fails("merge", "main");
    both.write({ "src/n3.ts": "export const both = 3;\n" });
    git("commit", "-q", "-a", "-m", "merged");
  };
  count("a conflicted merge: two commits before it, then its own", conflict, { "post-commit": 3, "post-checkout": 1 });
  const silent = () => {
    git("reset", "--hard", "topic~1");
    both.write({ "src/b.ts": "// b\n" });
    git("stash");
    git("stash", "pop");
    git("update-ref", "refs/heads/other", "HEAD");
    git("branch", "-f", "other", "topic~2");
    git("reset", "-q", "--hard");
    git("format-patch", "-q", "-o", "../patches", "topic~1..topic");
    git("am", "-q", "../patches/0001-commit-3.patch");
    git("fetch", "-q", ".", "topic");
  };
  count("reset, stash, stash pop, update-ref, branch -f, am, fetch", silent, {});
});

test("rewrites fire what they are known to fire, and those who come after us still read git's pairs", (t) => {
  const both = journalOnly(twins(t));
  const { repo, git } = both;
  const count = counter(both);
  git("branch", "idle");
  git("checkout", "-q", "-b", "topic");
  commits(both, 1, 5);
  git("checkout", "-q", "main");
  commits(both, 6, 6);
  git("checkout", "-q", "topic");

  const tip = repo.head();
  const amended = count("amend", () => git("commit", "-q", "--amend", "-m", "commit five"), {
    "post-commit": 1,
    "post-rewrite": 1,
  });
  assert.equal(amended, `${tip} ${repo.head()}\n`, "the pair, byte for byte");

  const list = (range: string) => repo.git("rev-list", "--reverse", range).split("\n");
  const before = list("main..topic");
  const pairs = count("rebase of five", () => git("rebase", "-q", "main"), {
    ...{ "post-commit": 5, "post-checkout": 1, "post-rewrite": 1 },
  });
  const after = list("main..topic");
  assert.equal(pairs, before.map((old, at) => `${old} ${after[at]}\n`).join(""), "old and new of each");

  git("reset", "-q", "--hard", before.at(-1) ?? "");
  const applied = count("rebase --apply", () => git("rebase", "-q", "--apply", "main"), {
    ...{ "post-checkout": 1, "post-rewrite": 1 },
  });
  assert.equal(applied.split("\n").length, 5 + 1);

  git("reset", "-q", "--hard", before.at(-1) ?? "");
  const squash = both.with({ GIT_SEQUENCE_EDITOR: "sed -i -e '2,$s/^pick/fixup/'" });
  count("rebase -i with four fixups", () => squash.git("rebase", "-q", "-i", "main"), {
    ...{ "post-commit": 5, "post-checkout": 1, "post-rewrite": 5 },
  });
  git("clone", "-q", "--bare", ".", "../upstream.git");
  git("remote", "add", "-f", "origin", "../upstream.git");
  git("checkout", "-q", "idle");
  git("branch", "-q", "-u", "origin/main");
  count("pull --rebase without a commit of one's own", () => git("pull", "-q", "--rebase"), { "post-merge": 1 });
  git("reset", "-q", "--hard", "HEAD~1");
  commits(both, 7, 7);
  count("pull --rebase with one", () => git("pull", "-q", "--rebase"), {
    ...{ "post-commit": 1, "post-checkout": 1, "post-rewrite": 1 },
  });
  git("reset", "-q", "--hard", "main~1");
  count("rebase that only fast-forwards", () => git("rebase", "-q", "main"), { "post-checkout": 1 });
});
