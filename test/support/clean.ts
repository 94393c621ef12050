import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readMeta } from "../../src/knowledge/artefacts.js";
import { type Marker, markerPath } from "../../src/marker/marker.js";
import { withContext } from "../../src/repository/context.js";
import { locateProject, type Project } from "../../src/repository/locate.js";
import type { Db } from "../../src/store/sqlite.js";
import { integrityProblems, openState } from "../../src/store/state.js";
import { verifyWorktree } from "../../src/sync/switch.js";
import type { WorktreeRow } from "../../src/verification/worktree-rows.js";
import type { Repo } from "./repo.js";
import { assertTidy } from "./tidy.js";

/** What a view's state says, without what is the life of it: times, generations, leases, the way it came about. */
interface Said {
  drift: unknown[];
  marker: unknown;
}

/**
 * The judge of "state equal to clean". It keeps the artefacts as install left them; for any HEAD it makes a repository
 * of its own that borrows the objects, has no state at all and takes those artefacts in, and says what is true there.
 */
export class Clean {
  readonly #data: string;
  readonly #dir: string;

  constructor(repo: Repo) {
    this.#data = mkdtempSync(join(repo.base, "as-installed-"));
    cpSync(join(repo.dir, ".understand-anything"), this.#data, { recursive: true });
    this.#dir = mkdtempSync(join(repo.base, "clean-"));
    repo.at(this.#dir).git("init", "-q");
    const objects = repo.git("rev-parse", "--path-format=absolute", "--git-path", "objects");
    symlinkSync(objects, join(this.#dir, ".git/borrowed")); // a path in `alternates` cannot hold a newline
    writeFileSync(join(this.#dir, ".git/objects/info/alternates"), `${join(this.#dir, ".git/borrowed")}\n`);
  }

  async truth(head: string): Promise<Said> {
    const git = join(this.#dir, ".git");
    const data = join(this.#dir, ".understand-anything");
    for (const old of [data, join(git, "ua-hooks")]) rmSync(old, { recursive: true, force: true });
    cpSync(this.#data, data, { recursive: true });
    writeFileSync(join(git, "HEAD"), `${head}\n`);
    const project = await locateProject({ cwd: this.#dir, env: {} });
    return withContext(project, async (context) => {
      const db = await context.database();
      db.exec("PRAGMA synchronous = OFF");
      const { marker } = await verifyWorktree({ ...context, db, lock: { assertHeld: () => {}, release: () => {} } });
      return { drift: driftOf(db, "."), marker: contentOf(marker) };
    });
  }

  /** Everything that the state says of a worktree is true of its HEAD, and nothing is left half done. */
  async assertEqual(worktree: Repo, what = ""): Promise<void> {
    const project = await locateProject({ cwd: worktree.dir, env: {} });
    const head = worktree.head();
    const db = await openState(project.stateDir);
    try {
      assert.deepEqual(integrityProblems(db), [], `${what}: the database is intact`);
      const row = db.get<WorktreeRow>("SELECT * FROM views WHERE id = ?", project.worktree.id);
      const file = markerPath(project);
      const marker = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Marker) : null;
      assert.equal(row?.verified_sha, head, `${what}: verified at HEAD`);
      const truth = await this.truth(head);
      const isMeasured = marker === null || marker.estimatedTokens !== null; // a hook that git waits for does not measure
      assert.deepEqual(
        { drift: driftOf(db, project.worktree.id), marker: contentOf(marker) },
        isMeasured ? truth : { ...truth, marker: { ...Object(truth.marker), estimatedTokens: null } },
        what,
      );
      assertLife(db, project, marker, what);
      if (!project.worktree.linked) {
        const base = row?.base_sha ?? null;
        assert.equal(
          readMeta(project)?.gitCommitHash,
          base,
          `${what}: meta.json is at the last commit with nothing due`,
        );
        if (marker === null) assert.equal(base, head, `${what}: nothing is pending, so the baseline is HEAD`);
      }
    } finally {
      db.close();
    }
    assertTidy(project, what);
  }
}

function driftOf(db: Db, worktree: string): unknown[] {
  const columns = "path, oid, analysed_oid, extractor, drift, change_level, details";
  return db
    .all<Record<string, unknown>>(`SELECT ${columns} FROM drift WHERE view = ? ORDER BY path`, worktree)
    .map((row) => ({ ...row }));
}

export function contentOf(marker: Marker | null): unknown {
  if (marker === null) return null;
  const {
    generation: _g,
    state: _s,
    worktree: _w,
    base: _b,
    events: _e,
    createdAt: _c,
    updatedAt: _u,
    ...content
  } = marker;
  const { lease: _l, attempts: _a, lastError: _x, head, ...rest } = content;
  return { ...rest, head: head.commit };
}

/** The file is a rendering of the row. */
function assertLife(db: Db, project: Project, marker: Marker | null, what: string): void {
  const sql = "SELECT generation, state FROM markers WHERE view = ?";
  const row = db.get<{ generation: number; state: string }>(sql, project.worktree.id);
  if (marker === null) assert.ok(row === undefined || row.state === "none", `${what}: no marker, none in the database`);
  else
    assert.deepEqual([marker.generation, marker.state], [row?.generation, row?.state], `${what}: file and row agree`);
}
