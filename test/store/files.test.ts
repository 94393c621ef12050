import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { processNumber } from "../../src/platform/process.js";
import {
  isAsStamped,
  parseJsonObject,
  readJsonObject,
  readTextIfThere,
  refuseEscape,
  stampOf,
  toJson,
  writeFileAtomic,
} from "../../src/store/files.js";
import { tempDir } from "../support/repo.js";

const modeOf = (file: string) => statSync(file).mode & 0o777;

test("a file is written whole, keeps its mode, and leaves no temporary one", (t) => {
  const dir = tempDir(t);
  const file = join(dir, "a.json");
  writeFileAtomic(file, "one");
  assert.equal(readFileSync(file, "utf8"), "one");
  for (const mode of [0o600, 0o664, 0o755]) {
    chmodSync(file, mode);
    writeFileAtomic(file, Buffer.from("two"));
    assert.equal(modeOf(file), mode, "whatever the umask says");
  }
  writeFileAtomic(join(dir, "private"), "x", 0o600);
  assert.equal(modeOf(join(dir, "private")), 0o600);
  assert.deepEqual(readdirSync(dir).sort(), ["a.json", "private"]);
});

test("a write never goes through a link in the place of its temporary file", (t) => {
  const dir = tempDir(t);
  writeFileSync(join(dir, "victim"), "precious");
  symlinkSync("victim", join(dir, `.a.json.${processNumber()}.tmp`));
  writeFileAtomic(join(dir, "a.json"), "new");
  assert.equal(readFileSync(join(dir, "victim"), "utf8"), "precious");
  assert.deepEqual(readdirSync(dir).sort(), ["a.json", "victim"]);
});

test("a write that fails leaves the old file and no temporary one", (t) => {
  const dir = tempDir(t);
  const file = join(dir, "a.json");
  writeFileAtomic(file, "old");
  for (const point of ["file.write", "file.rename"]) {
    process.env.UA_HOOKS_FAULT = `${point}:ENOSPC`;
    try {
      assert.throws(() => writeFileAtomic(file, "new"), { code: "ENOSPC" });
    } finally {
      delete process.env.UA_HOOKS_FAULT;
    }
    assert.equal(readFileSync(file, "utf8"), "old");
    assert.deepEqual(readdirSync(dir), ["a.json"]);
  }
});

test("absent is null, damaged is an error, and the two are never mixed up", (t) => {
  const dir = tempDir(t);
  assert.equal(readTextIfThere(join(dir, "none")), null);
  assert.equal(readTextIfThere(join(dir, "none", "deeper")), null);
  assert.equal(readJsonObject(join(dir, "none"), dir), null);
  assert.throws(() => readTextIfThere(dir), { code: "refused", message: /it is a folder/ });
  assert.deepEqual(parseJsonObject('{"a": 1}', "x"), { a: 1 });
  for (const bad of ["", "{", "[]", "1", "null", '"x"', "<<<<<<< ours\n{}\n"]) {
    assert.throws(() => parseJsonObject(bad, "/p/x.json"), {
      code: "damaged",
      message: /^\/p\/x\.json cannot be read: /,
    });
  }
  assert.throws(() => parseJsonObject("{\n=======\n}", "x"), /it has conflict markers/);
});

test("a stamp tells another file from the same one", (t) => {
  const file = join(tempDir(t), "a");
  assert.equal(stampOf(file), null);
  writeFileAtomic(file, "same");
  const first = stampOf(file);
  assert.ok(isAsStamped(file, first));
  writeFileAtomic(file, "same");
  assert.ok(!isAsStamped(file, first), "replaced by an equal one is another inode");
});

test("links may lead anywhere inside, and nowhere else", (t) => {
  const base = tempDir(t);
  const home = join(base, "home");
  for (const dir of ["home", "home-not", "home/in"]) mkdirSync(join(base, dir));
  writeFileSync(join(home, "plain"), "");
  const links: [name: string, to: string, fine: boolean][] = [
    ["inside", "in", true],
    ["self", ".", true],
    ["out", "..", false],
    ["beside", "../home-not", false],
    ["absolute", join(base, "home-not"), false],
    ["dangling", "nowhere", false],
    ["loop", "loop", false],
  ];
  for (const [name, to, fine] of links) {
    symlinkSync(to, join(home, name));
    if (fine) refuseEscape(join(home, name), home);
    else
      assert.throws(
        () => refuseEscape(join(home, name), home),
        { code: "refused", message: /to a place outside/ },
        name,
      );
  }
  refuseEscape(join(home, "plain"), home);
  refuseEscape(join(home, "absent"), home);
});

test("JSON is written for people and diffs: two spaces, a newline at the end", () => {
  assert.equal(toJson({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}\n');
});
