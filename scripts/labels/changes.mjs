// The changes of symbols in one commit of a clone, by the sources of this build.
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { fingerprintText } from "../../dist/index.js";

const root = join(import.meta.dirname, "..", "..");

/** Parts of the program that are not in the public API. */
async function sources() {
  const contents = `export * from "./src/fingerprint/symbols.ts"; export { isSizeChange } from "./src/fingerprint/plain.ts";
export * from "./src/packets/line-diff.ts"; export * from "./src/packets/file-text.ts";
export { compareSymbols } from "./test/support/symbol-drift.ts";`;
  const stdin = { contents, resolveDir: root, loader: "ts" };
  const options = { stdin, bundle: true, write: false, format: "esm", platform: "node", logLevel: "error" };
  const [file] = (await build(options)).outputFiles;
  return await import(`data:text/javascript;base64,${Buffer.from(file.text).toString("base64")}`);
}

export const program = await sources();

export function git(clone, ...args) {
  return execFileSync("git", ["-C", clone, ...args], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

/** The newest commits that are no merges, each with the paths that it modified, under the same name. */
export function newestCommits(clone, most) {
  const args = [
    "--no-merges",
    `--max-count=${most}`,
    "--no-renames",
    "--diff-filter=M",
    "--name-only",
    "--format=%x01%H",
  ];
  const log = git(clone, "-c", "core.quotePath=false", "log", ...args).toString();
  const commits = log.split("\u0001").map((part) => part.split("\n").filter(Boolean));
  return commits.filter((part) => part.length > 1).map(([commit, ...paths]) => ({ commit, paths }));
}

const LARGEST = 400_000;

/** Contents of one clone by `<revision>:<path>`, through one process for all: a process for each takes longer than the rest. */
export class Contents {
  #child;
  #rest = Buffer.alloc(0);
  #waiting = [];

  constructor(clone) {
    this.#child = spawn("git", ["-C", clone, "cat-file", "--batch"], { stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdout.on("data", (chunk) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      this.#answer();
    });
  }

  /** Null for what is not there. */
  read(name) {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin.write(`${name}\n`);
    });
  }

  close() {
    this.#child.stdin.end();
  }

  /** `<oid> blob <size>`, a line feed, the content, a line feed; or `<name> missing`. */
  #answer() {
    for (let end = this.#rest.indexOf(10); end >= 0 && this.#waiting.length > 0; end = this.#rest.indexOf(10)) {
      const size = / blob (\d+)$/.exec(this.#rest.toString("utf8", 0, end))?.[1];
      const last = size === undefined ? end : end + 1 + Number(size);
      if (this.#rest.length <= last) return;
      const content = size === undefined ? null : Buffer.from(this.#rest.subarray(end + 1, last));
      this.#rest = this.#rest.subarray(last + 1);
      this.#waiting.shift()(content);
    }
  }
}

/** Both contents of a file with their fingerprints; undefined where the program does not compare by symbol. */
export async function contentsOf(contents, commit, path) {
  const [before, after] = [await contents.read(`${commit}^:${path}`), await contents.read(`${commit}:${path}`)];
  if (before === null || after === null || before.length > LARGEST || after.length > LARGEST) return undefined;
  const facts = [await fingerprintText(path, before), await fingerprintText(path, after)];
  if (!facts.every(({ hasStructuralAnalysis }) => hasStructuralAnalysis)) return undefined;
  const [old, now] = [before.toString(), after.toString()];
  return { facts, texts: [new program.FileText(path, old, facts[0]), new program.FileText(path, now, facts[1])] };
}

/** Symbols with the drift `body` or `behaviour`, less those past the size rule: about these a model is asked anyway. */
export function changedSymbols({ facts: [before, after] }) {
  const [old, now] = [program.symbolFacts(before), program.symbolFacts(after)];
  const lines = ({ functions }, name) => functions.find((one) => one.name === name)?.lineCount ?? 0;
  const isResized = ({ kind, name }) =>
    kind === "function" && program.isSizeChange(lines(before, name), lines(after, name));
  return program
    .compareSymbols(old, now)
    .filter((one) => (one.drift === "body" || one.drift === "behaviour") && !isResized(one))
    .map((one) => {
      const same = ({ kind, name }) => kind === one.kind && name === one.name;
      return { ...one, before: old.find(same), after: now.find(same) };
    });
}
