import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { readRegularFile } from "../../src/platform/read-file.js";
import { readBytes, readProjectFile } from "../../src/store/files.js";
import { tempDir } from "../support/repo.js";

const most = 10;

test("a regular file within the limit is read; what is not there is null", (t) => {
  const dir = realpathSync(tempDir(t));
  writeFileSync(join(dir, "ten"), "0123456789");
  writeFileSync(join(dir, "empty"), "");
  assert.equal(readRegularFile(join(dir, "ten"), { most })?.toString(), "0123456789");
  assert.equal(readRegularFile(join(dir, "empty"), { most })?.length, 0);
  assert.equal(readRegularFile(join(dir, "none"), { most }), null);
  assert.equal(readRegularFile(join(dir, "ten", "below"), { most }), null);
  // Files of /proc have the size 0 and content all the same.
  assert.ok((readRegularFile("/proc/self/stat", { most: 100_000 })?.length ?? 1) > 0);
});

test("what is no regular file, or too large, is refused by name and not read", async (t) => {
  const dir = realpathSync(tempDir(t));
  writeFileSync(join(dir, "eleven"), "01234567890");
  mkdirSync(join(dir, "folder"));
  spawnSync("mkfifo", [join(dir, "pipe")]);
  const server = createServer().listen(join(dir, "socket"));
  await new Promise((listening) => server.once("listening", listening));
  t.after(() => server.close());
  symlinkSync("/dev/zero", join(dir, "endless"));
  symlinkSync("circle", join(dir, "circle"));
  for (const name of ["eleven", "folder", "pipe", "socket", "endless"]) {
    assert.throws(() => readRegularFile(join(dir, name), { most }), { code: "refused" }, name);
    assert.equal(readBytes(join(dir, name)).length, name === "eleven" ? 11 : 0, name);
  }
  assert.throws(() => readProjectFile(join(dir, "circle"), dir), { code: "refused" });
});

test("a file of the project may be a link to another one, and to nothing outside", (t) => {
  const base = realpathSync(tempDir(t));
  const home = join(base, "home");
  mkdirSync(join(home, "docs"), { recursive: true });
  mkdirSync(join(base, "home-not"));
  for (const file of ["home/docs/a", "private", "home-not/a"]) writeFileSync(join(base, file), file);
  symlinkSync("docs/a", join(home, "inside"));
  symlinkSync("docs", join(home, "folder"));
  symlinkSync("../private", join(home, "out"));
  symlinkSync(join(base, "home-not"), join(home, "beside"));
  symlinkSync("nowhere", join(home, "dangling"));
  assert.equal(readProjectFile(join(home, "inside"), home), "home/docs/a");
  assert.equal(readProjectFile(join(home, "folder/a"), home), "home/docs/a");
  assert.equal(readProjectFile(join(home, "dangling"), home), null);
  for (const name of ["out", "beside/a"]) {
    const isRefused = (error: unknown) => {
      assert.match(String(error), /leads out of/);
      assert.doesNotMatch(String(error), /home-not\/a$/);
      return true;
    };
    assert.throws(() => readProjectFile(join(home, name), home), isRefused, name);
    assert.equal(readBytes(join(home, name), home), "", name);
  }
});
