import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { SMALL_PROJECT } from "../support/repo.js";
import { type Twins, twins } from "../support/twins.js";

// Invariant "git never notices": whatever is broken on our side, git exits, prints and ends as it does without us.

const { "src/b.ts": B = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");

/** Every hook of ours fires at least once; the twins compare what git makes of it. */
function converse({ git, write }: Twins, round: number): void {
  git("checkout", "-b", `topic${round}`);
  write({ "src/b.ts": `${B_WIDER}// ${round}\n` });
  git("commit", "--amend", "-a", "-m", "wider");
  git("checkout", "main");
  git("merge", "--no-edit", "-X", "theirs", `topic${round}`);
}

interface Places {
  stateDir: string;
  dataDir: string;
}

/** The files that must be as they were afterwards: what cannot be read is not overwritten. */
type Damage = (places: Places) => string[];

const garbled = (dir: keyof Places, name: string, text: string) => (places: Places) => {
  writeFileSync(join(places[dir], name), text);
  return [join(places[dir], name)];
};

const gone = (dir: keyof Places, name: string) => (places: Places) => {
  const path = join(places[dir], name).replace(/\/\.?$/, "");
  renameSync(path, `${path}.away`);
  return [];
};

const program = (text: string) => (places: Places) => {
  const entry = join(places.stateDir, "broken.cjs");
  if (text !== "") writeFileSync(entry, text);
  writeFileSync(join(places.stateDir, "env"), `${process.execPath}\n${entry}\ndetached\n`);
  return [];
};

/** Bytes 60 to 63 of an SQLite file are its user_version, where we keep the version of the state. */
const newerDatabase: Damage = ({ stateDir }) => {
  const file = join(stateDir, "state.db");
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(99, 60);
  writeFileSync(file, bytes);
  return [file];
};

const DAMAGE: Record<string, Damage> = {
  "no state dir": gone("stateDir", "."),
  "a file in place of the state dir": (places) => {
    gone("stateDir", ".")(places);
    writeFileSync(places.stateDir, "");
    return [places.stateDir];
  },
  "no program": program(""),
  "a program that talks and fails": program("console.log('out'); console.error('err'); process.exit(3);"),
  "no env file": gone("stateDir", "env"),
  "an env file of something else": garbled("stateDir", "env", "what is this"),
  "a shim that is empty": garbled("stateDir", "shim.sh", ""),
  "a journal that cannot be written": ({ stateDir }) => {
    mkdirSync(join(stateDir, "journal"));
    return [];
  },
  "no folder for rewrites": gone("stateDir", "rewrites"),
  "a damaged database": garbled("stateDir", "state.db", "this is no database"),
  "a newer database": newerDatabase,
  "a damaged graph": garbled("dataDir", "knowledge-graph.json", "{"),
  "a damaged meta.json": garbled("dataDir", "meta.json", "<<<<<<< ours\n"),
  "no data dir": gone("dataDir", "."),
};

test("git goes on as ever, whatever of ours is missing or damaged", async (t) => {
  const both = twins(t);
  both.unseen().git("commit", "--allow-empty", "-q", "-m", "one to amend");
  const { dir } = both.repo;
  const places = { stateDir: join(dir, ".git/ua-hooks"), dataDir: join(dir, ".understand-anything") };
  const restore = keep(Object.values(places));
  for (const [at, [name, damage]] of Object.entries(DAMAGE).entries()) {
    await t.test(name, () => {
      const files = damage(places);
      const before = files.map((file) => readFileSync(file, "latin1"));
      converse(both, at);
      const after = files.map((file) => readFileSync(file, "latin1"));
      assert.deepEqual(after, before, "what cannot be read is not overwritten");
    });
    restore();
  }
});

/** Keeps the small files of some folders; the answer puts them back, whatever happened in between. */
function keep(dirs: string[]): () => void {
  const filter = (path: string) => basename(path) !== "runtime";
  for (const dir of dirs) cpSync(dir, `${dir}.kept`, { recursive: true, filter });
  return () => {
    for (const dir of dirs) {
      if (existsSync(`${dir}.away`)) {
        rmSync(dir, { recursive: true, force: true });
        renameSync(`${dir}.away`, dir);
      }
      for (const name of readdirSync(dir).filter(filter)) rmSync(join(dir, name), { recursive: true });
      cpSync(`${dir}.kept`, dir, { recursive: true });
    }
  };
}

test("no node at all, as in a GUI client's PATH", (t) => {
  const both = twins(t);
  const bin = join(both.repo.base, "bin");
  mkdirSync(bin);
  const git = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  symlinkSync(git, join(bin, "git"));
  const env = join(both.repo.dir, ".git/ua-hooks/env");
  writeFileSync(env, readFileSync(env, "utf8").replace(/^.*\n/, "/nowhere/node\n"));
  // Nor one where the usual managers have it: this machine has, so the list in the shim leads elsewhere.
  const shim = join(both.repo.dir, ".git/ua-hooks/shim.sh");
  writeFileSync(shim, readFileSync(shim, "utf8").replace(/ua_try in .*\\\n/, "ua_try in /nowhere/node \\\n"));
  both.unseen().git("commit", "--allow-empty", "-q", "-m", "one to amend");
  converse(both.with({ PATH: bin }), 1);
  assert.equal(both.repo.marker(), null, "nothing was judged");
  assert.equal(both.repo.uaJson("status").lastVerifiedSha, both.repo.head(), "and the next read heals it");
});

test("UA_HOOKS=0: not a line is written", (t) => {
  const both = twins(t);
  const stateDir = join(both.repo.dir, ".git/ua-hooks");
  const stampOf = (name: string) => `${name} ${statSync(join(stateDir, name)).mtimeMs}`;
  const stateOf = () => readdirSync(stateDir, { recursive: true }).map((name) => stampOf(String(name)));
  const before = stateOf();
  both.unseen().git("commit", "--allow-empty", "-q", "-m", "one to amend");
  converse(both.unseen(), 1);
  assert.deepEqual(stateOf(), before);
});

test("a state dir that cannot be written", { skip: process.getuid === undefined }, (t) => {
  const both = twins(t);
  const { repo, plain } = both;
  const root = process.getuid?.() === 0;
  const nobody = 65534;
  const chmod = (mode: string) => spawnSync("chmod", ["-R", mode, join(repo.dir, ".git/ua-hooks")]);
  chmod("a-w");
  if (root) spawnSync("chown", ["-R", String(nobody), join(repo.base, "..")]);
  const said = [repo, plain].map(({ dir, env }) => {
    const script =
      "git checkout -b topic && git commit --allow-empty -m empty && git commit --amend --allow-empty -m again";
    const options = { cwd: dir, env, encoding: "utf8", ...(root ? { uid: nobody } : {}) } as const;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], options);
    return { status, stdout, stderr };
  });
  assert.equal(said[0]?.status, 0, said[0]?.stderr);
  assert.deepEqual(said[0], said[1]);
  chmod("u+w");
});
