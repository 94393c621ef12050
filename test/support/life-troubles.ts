import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { analysisOf, applyTo } from "./agent.js";
import { runProgram } from "./commands.js";
import { commits, DATA, graphFile, keyOf, missingIn, OLD, PATHS, type Turn, write } from "./life-clone.js";
import { allPoints } from "./points.js";
import { repoAt } from "./repo.js";

/** What goes wrong in a clone: kills, damage, and another version of the program. */
export const TROUBLES: Record<string, (turn: Turn) => void> = {
  tear({ clone }) {
    clone.repo.uaJson("status");
    truncateSync(graphFile(clone), 300);
    rmSync(graphFile(clone));
    clone.repo.ua("install", "--yes");
  },
  /** A torn artefact is left as it is, until somebody moves it away and runs install, as the message says. */
  tearAndRepair({ clone: { repo }, roll }) {
    repo.uaJson("status");
    const name = ["knowledge-graph.json", "fingerprints.json", "meta.json"][roll % 3] ?? "";
    const file = join(repo.dir, DATA, name);
    if (!existsSync(file)) return;
    const torn = readFileSync(file).subarray(0, Math.floor(readFileSync(file).length / 2));
    writeFileSync(file, torn);
    repo.ua("run");
    assert.deepEqual(readFileSync(file), torn);
    rmSync(file);
    assert.equal(repo.ua("install", "--yes").code, 0);
  },
  /** What the graph shows is kept; what only the database had is lost with it, as `doctor --fix` says. */
  damageState({ clone, roll }) {
    const { repo, written, lost } = clone;
    assert.deepEqual(missingIn(clone), []);
    const file = join(repo.dir, ".git/ua-hooks/state.db");
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
    writeFileSync(file, ["", "no database", "SQLite format 3\0"][roll % 3] ?? "");
    assert.equal(repo.ua("status").code, 5, "a damaged database is not taken for a new one");
    assert.equal(repo.ua("doctor", "--fix", "--yes").code, 0);
    clone.backups.length = 0; // what they have is new to the new database
    const here = new Set([...PATHS, "src/b.ts"].map((path) => keyOf(repo, path)));
    for (const [key, texts] of written) {
      if (here.has(key)) continue;
      lost.set(key, texts);
      written.delete(key);
    }
  },
  /** A command, or a checkout's hook, is killed at one of its writes. */
  kill({ clone, roll }) {
    const { repo } = clone;
    const killed = killedAt(repo, roll);
    if (roll % 2 === 0 || commits(clone) <= 2) killed.ua(roll % 4 === 0 ? "run" : "status");
    else killed.tryGit("checkout", "-q", "-B", "killed", "HEAD~1");
  },
  /** A delivery is killed: then its texts count, or those before it. */
  killDelivery({ world, clone, roll, turn }) {
    const { repo, written, lost } = clone;
    const paths = PATHS.filter((path) => repo.has(path) && repo.git("diff", "--name-only", "HEAD", "--", path) === "");
    const result = analysisOf(repo, paths, `killed ${turn}`);
    let isDone = true;
    try {
      applyTo(killedAt(repo, roll), result);
    } catch {
      isDone = false;
    }
    for (const path of paths) {
      const key = keyOf(repo, path);
      const before = written.get(key);
      const own = result.nodes.filter(({ filePath }) => filePath === path);
      write(
        world,
        clone,
        key,
        own.map(({ id, summary }) => [id, summary]),
      );
      if (isDone) continue;
      if (before === undefined) {
        lost.set(key, written.get(key) ?? new Map());
        written.delete(key);
      } else
        for (const [id, texts] of before) written.get(key)?.set(id, [...texts, ...(written.get(key)?.get(id) ?? [])]);
    }
  },
  /** The program of the version before, beside this one: it changes nothing, or refuses. */
  oldProgram({ clone: { repo, name, old }, roll }) {
    if (name !== OLD || old === undefined) return;
    repo.uaJson("status");
    const command = ["status", "pending", "run"][roll % 3] ?? "status";
    runProgram(process.execPath, [join(old, "cli.cjs"), command], { cwd: repo.dir, env: repo.env });
  },
  reinstall: ({ clone: { repo } }) => {
    assert.equal(repo.ua("uninstall").code, 0);
    assert.equal(repo.ua("install", "--yes").code, 0);
  },
};

const POINTS = allPoints();

function killedAt(repo: Turn["clone"]["repo"], roll: number) {
  const point = POINTS[roll % POINTS.length] ?? "";
  return repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: `${point}:kill` });
}
