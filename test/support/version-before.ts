import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { dist, makeRepo, type Repo, root } from "./repo.js";

/** A clone that the first version installed and used (test/fixtures/make-version-before.mjs). */

type Files = Record<string, { mode: number; data: string }>;

/** `old`: the folder of its programs. */
export function cloneOfVersionBefore(t: TestContext): { repo: Repo; old: string } {
  const repo = makeRepo(t, { init: false });
  const packed = readFileSync(join(root, "test/fixtures/version-before.json.br"));
  const files = JSON.parse(brotliDecompressSync(packed).toString("utf8")) as Files;
  for (const [path, { mode, data }] of Object.entries(files)) {
    mkdirSync(dirname(join(repo.base, path)), { recursive: true });
    writeFileSync(join(repo.base, path), Buffer.from(data, "latin1"), { mode });
  }
  const state = join(repo.dir, ".git/ua-hooks");
  for (const folder of ["proofs", "rewrites"]) mkdirSync(join(state, folder), { recursive: true });
  mkdirSync(join(repo.dir, ".git/refs"), { recursive: true });
  writeFileSync(join(state, "env"), readFileSync(join(state, "env"), "utf8").replace(/^.*\n/, `${process.execPath}\n`));
  for (const name of ["tree-sitter.cjs", "tree-sitter.wasm", "typescript.wasm", "python.wasm"])
    cpSync(join(dist, "grammars", name), join(state, "runtime/grammars", name));
  for (const folder of [join(state, "runtime"), join(repo.base, "program")])
    cpSync(join(root, "node_modules/@libsql"), join(folder, "node_modules/@libsql"), {
      recursive: true,
      dereference: true,
    });
  repo.git("update-index", "-q", "--refresh");
  return { repo, old: join(repo.base, "program/dist") };
}
