import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  linkInCheckout,
  makeFolder,
  moveFile,
  refuseLinks,
  removeAll,
  removeEmptyFolder,
  removeFile,
  setMode,
} from "../../src/platform/change-files.js";
import { removeTemporaries, writeFileAtomic } from "../../src/store/files.js";
import { tempDir } from "../support/repo.js";
import { snapshot } from "../support/tree.js";

/** Two repositories beside each other, as far as git's files matter here, and a folder of no repository. */
function scene(t: TestContext) {
  const base = realpathSync(tempDir(t));
  const [repo, other, free] = [join(base, "repo"), join(base, "other"), join(base, "free")];
  for (const dir of [join(repo, ".git/hooks"), join(repo, "src"), join(other, ".git/hooks"), free])
    mkdirSync(dir, { recursive: true });
  const link = (target: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  return { base, repo, other, free, link };
}

test("a link of a checkout is found at every component, wherever it leads", (t) => {
  const { repo, other, link } = scene(t);
  for (const target of [join(other, ".git/hooks"), "../other", ".git/hooks", "src", ".", "..", "nowhere", "self"]) {
    const name = join(repo, mkdtempSync(join(repo, "d-")).slice(repo.length + 1), "self");
    link(target, name);
    for (const path of [name, join(name, "file"), join(name, "deep/er/file")]) {
      assert.equal(linkInCheckout(path), name, target);
      assert.throws(() => refuseLinks(path), { code: "refused", message: /is a symbolic link/, exitCode: 5 });
    }
  }
});

test("a work tree can be reached through a link, and what is in it counts all the same", (t) => {
  const { base, repo, other, link } = scene(t);
  link("repo", join(base, "alias"));
  assert.equal(linkInCheckout(join(base, "alias/src/new.ts")), null);
  link(other, join(repo, "out"));
  assert.equal(linkInCheckout(join(base, "alias/out/file")), join(repo, "out"));
  link("../alias/out", join(base, "free/through"));
  assert.equal(linkInCheckout(join(base, "free/through/file")), join(repo, "out"));
});

test("links that no checkout can bring are followed: outside of work trees, and in a git dir", (t) => {
  const { base, repo, free, link } = scene(t);
  link("free", join(base, "dotfiles"));
  assert.equal(linkInCheckout(join(base, "dotfiles/settings.json")), null);
  link(free, join(repo, ".git/info"));
  assert.equal(linkInCheckout(join(repo, ".git/info/exclude")), null);
  link("../src", join(repo, ".git/linked"));
  assert.equal(linkInCheckout(join(repo, ".git/linked/post-commit")), null);
  link("../src", join(repo, "src/own"));
  link("../src/own", join(repo, ".git/twice"));
  assert.equal(
    linkInCheckout(join(repo, ".git/twice/post-commit")),
    join(repo, "src/own"),
    "but not what they lead to",
  );
});

test("linked worktrees, submodules and worktrees in a git dir are work trees: their .git is a file", (t) => {
  const { repo, free, link } = scene(t);
  for (const tree of [join(free, "linked"), join(repo, "module"), join(repo, ".git/trees/a")]) {
    mkdirSync(join(tree, "deep"), { recursive: true });
    writeFileSync(join(tree, ".git"), "gitdir: elsewhere\n");
    link("..", join(tree, "deep/up"));
    assert.equal(linkInCheckout(join(tree, "deep/up/file")), join(tree, "deep/up"));
    assert.equal(linkInCheckout(join(tree, "deep/file")), null);
  }
});

test("a file as a folder, a circle of links and a path with `..` are left to the system call", (t) => {
  const { base, repo, other, link } = scene(t);
  writeFileSync(join(repo, "file"), "");
  assert.equal(linkInCheckout(join(repo, "file/below")), null);
  assert.throws(() => makeFolder(join(repo, "file/below"), repo), { code: "ENOTDIR" });
  link("circle", join(base, "circle"));
  assert.equal(linkInCheckout(join(base, "circle/file")), null);
  link(other, join(repo, "out"));
  assert.equal(linkInCheckout(`${repo}/src/../out/file`), join(repo, "out"));
});

test("no change goes through a link of a checkout, and none changes the link itself", (t) => {
  const { repo, other, free, link } = scene(t);
  writeFileSync(join(other, "file"), "theirs");
  writeFileSync(join(other, ".a.1.tmp"), "theirs");
  mkdirSync(join(other, "empty"));
  writeFileSync(join(free, "file"), "mine");
  link(other, join(repo, "out"));
  link(join(other, "file"), join(repo, "one"));
  const [theirs, mine] = [snapshot(other), snapshot(repo)];
  const changes: (() => void)[] = [
    () => writeFileAtomic(join(repo, "out/file"), "x"),
    () => writeFileAtomic(join(repo, "out/new"), "x", 0o644, free),
    () => writeFileAtomic(join(repo, "one"), "x"),
    () => void makeFolder(join(repo, "out/made"), repo),
    () => removeFile(join(repo, "out/file")),
    () => removeFile(join(repo, "one")),
    () => removeAll(join(repo, "out")),
    () => removeAll(join(repo, "out/empty")),
    () => removeEmptyFolder(join(repo, "out/empty")),
    () => moveFile(join(free, "file"), join(repo, "out/moved")),
    () => moveFile(join(repo, "out/file"), join(free, "taken")),
    () => setMode(join(repo, "one"), 0o777),
  ];
  for (const change of changes) assert.throws(change, { code: "refused" }, change.toString());
  removeTemporaries(join(repo, "out"));
  assert.deepEqual([snapshot(other), snapshot(repo), readdirSync(free)], [theirs, mine, ["file"]]);
});

test("a link that a checkout makes while a file is written is seen before the file appears", (t) => {
  const { repo, other, free } = scene(t);
  mkdirSync(join(repo, "folder"));
  const swap = () => {
    renameSync(join(repo, "folder"), join(repo, "was"));
    symlinkSync(other, join(repo, "folder"));
  };
  assert.throws(() => writeFileAtomic(join(repo, "folder/file"), "x", 0o644, free, swap), { code: "refused" });
  assert.equal(existsSync(join(other, "file")), false);
  assert.deepEqual(readdirSync(free), [], "and nothing is left of it");
});

test("a folder that is made names the first one that was missing, and none where it is there", (t) => {
  const { repo } = scene(t);
  assert.equal(makeFolder(join(repo, "a/b/c"), repo), join(repo, "a"));
  assert.equal(makeFolder(join(repo, "a/b/c"), repo), null);
  writeFileAtomic(join(repo, "a/b/c/file"), "x");
  assert.equal(readFileSync(join(repo, "a/b/c/file"), "utf8"), "x");
});
