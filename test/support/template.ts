import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errnoOf } from "../../src/errors.js";
import { stampOf } from "../../src/store/files.js";
import { runAlone } from "./commands.js";
import type { Repo } from "./repo.js";

/**
 * How tests begin that are not about beginnings: something committed, and ua-hooks installed. It is made once for all
 * of them, with real git and a real install, kept and copied: a tenth of what it costs to do it again.
 */
export interface Beginning {
  /** Its folder, where beginnings are kept (repo.ts). */
  name: string;
  /** Where the repository is in a test's folder. */
  place: string;
  /** Makes the repository there, with nothing installed yet. */
  make(base: string): Repo;
}

export function newTempDir(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "ua-hooks-test-")));
}

/** The repository as it was before install. */
export function copyCommitted(kept: string, repo: Repo): void {
  copyTree(join(kept, "committed"), repo.dir);
  repo.git("update-index", "-q", "--refresh"); // other files by their inodes
}

/**
 * The one with ua-hooks in it, not as moved but as installed where it is: it knows its path, and its proof holds.
 * Where that cannot be, since a test has a temporary folder of another length, it is installed again.
 */
export function copyInstalled(kept: string, repo: Repo): void {
  const made = readFileSync(join(kept, "made"), "utf8");
  if (Buffer.byteLength(made) !== Buffer.byteLength(repo.dir)) {
    copyCommitted(kept, repo);
    install(repo);
    return;
  }
  const from = join(kept, "installed");
  copyTree(from, repo.dir);
  repo.git("update-index", "-q", "--refresh");
  const state = join(repo.dir, ".git/ua-hooks");
  // The path is a value in one row, and the new one is as long: SQLite has nothing to move.
  const db = readFileSync(join(state, "state.db"), "latin1");
  writeFileSync(join(state, "state.db"), db.replaceAll(made, repo.dir), "latin1");
  const proof = readFileSync(join(state, "proofs/main"), "utf8").replaceAll(made, repo.dir).split("\n");
  const copied = new Map(readdirSync(join(from, DATA)).map((name) => [stampsIn(kept)[name] ?? "", name]));
  const stamps = (JSON.parse(proof[2] ?? "[]") as (string | null)[]).map((stamp) => {
    const name = copied.get(numbersOf(stamp));
    return name === undefined ? stamp : stampOf(join(repo.dir, DATA, name), { own: true });
  });
  proof[2] = JSON.stringify(stamps);
  writeFileSync(join(state, "proofs/main"), proof.join("\n"));
}

const DATA = ".understand-anything";

/** Without the content that the stamp of a new file has. */
const numbersOf = (stamp: string | null) => (stamp ?? "").split("=", 1)[0] ?? "";

const stampsIn = (kept: string) => JSON.parse(readFileSync(join(kept, "stamps"), "utf8")) as Record<string, string>;

export function install(repo: Repo): void {
  const { code, stderr } = runAlone(["install"], { cwd: repo.dir, env: repo.env });
  if (code !== 0) throw new Error(`install exited ${code}: ${stderr}`);
}

/** Where a beginning is kept, made by whoever asks first; of two at the same time one's is taken by both. */
export function keep(dir: string, { name, place, make }: Beginning): string {
  const kept = join(dir, name);
  if (existsSync(kept)) return kept;
  const base = newTempDir();
  const own = `${kept}.${process.pid}`;
  try {
    const repo = make(base);
    for (const sample of readdirSync(join(repo.dir, ".git/hooks"))) rmSync(join(repo.dir, ".git/hooks", sample));
    copyTree(repo.dir, join(own, "committed"));
    install(repo);
    copyTree(repo.dir, join(own, "installed"));
    const stamps = readdirSync(join(repo.dir, DATA)).map((file) => [
      file,
      numbersOf(stampOf(join(repo.dir, DATA, file))),
    ]);
    writeFileSync(join(own, "stamps"), JSON.stringify(Object.fromEntries(stamps)));
    writeFileSync(join(own, "made"), join(base, place));
    renameSync(own, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
  } finally {
    for (const made of [base, own]) rmSync(made, { recursive: true, force: true });
  }
  return kept;
}

/** With the modes of everything; not with the times, as a test's own install has its own. */
function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: statSync(from).mode });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFile(source, target);
  }
}

/** The program is 15 MB, and nobody writes into its files: they are replaced. */
function copyFile(from: string, to: string): void {
  const isProgram = to.includes("/ua-hooks/runtime/");
  try {
    if (isProgram) linkSync(from, to);
    else copyFileSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    copyFileSync(from, to);
    const { atime, mtime } = statSync(from);
    utimesSync(to, atime, mtime); // by which an install sees that it has this file already
  }
}
