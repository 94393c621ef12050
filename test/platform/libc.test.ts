import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isMusl } from "../../src/platform/libc.js";
import { tempDir } from "../support/repo.js";

const skip = process.platform !== "linux" && "only Linux has two C libraries";

/** The smallest ELF file that names a loader: the file's header, one program header, the name. */
function elf(loader: string): Buffer {
  const file = Buffer.alloc(64 + 56 + 64);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(3, 64);
  file.writeBigUInt64LE(120n, 64 + 8);
  file.writeBigUInt64LE(BigInt(loader.length + 1), 64 + 32);
  file.write(`${loader}\0`, 120, "latin1");
  return file;
}

test("the C library is the one of the loader that the program names, wherever others are", { skip }, (t) => {
  const program = join(tempDir(t), "node");
  writeFileSync(program, elf("/lib/ld-musl-x86_64.so.1"));
  assert.equal(isMusl(program), true);
  writeFileSync(program, elf("/lib64/ld-linux-x86-64.so.2"));
  assert.equal(isMusl(program), false);
});

test("a program that names no loader, or cannot be read: what Node reports", { skip }, (t) => {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const reported = header?.glibcVersionRuntime === undefined;
  const program = join(tempDir(t), "node");
  assert.equal(isMusl(program), reported);
  writeFileSync(program, elf("/lib/ld-musl-x86_64.so.1").subarray(0, 100));
  assert.equal(isMusl(program), reported);
  assert.equal(isMusl(), reported, "and this Node is what it reports");
});
