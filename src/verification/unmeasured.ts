import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Marker, StoredMarker } from "../marker/marker.js";
import { duePaths } from "../marker/questions.js";
import { withContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { loadRules } from "../repository/rules.js";
import { stateDb } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { openState } from "../store/state.js";
import { type Commit, compareWithBaseline } from "./compare.js";
import { verificationConfig } from "./config.js";
import { askedFilesOf, measureTokens } from "./packets.js";

/**
 * For a reader that cannot write: the number of tokens that a hook in the foreground did not measure. SQLite writes beside a database
 * that it only reads, so this one is opened as a copy.
 */
export async function withTokens(project: Project, head: Commit, marker: StoredMarker): Promise<Marker> {
  const folder = mkdtempSync(join(tmpdir(), "ua-hooks-"));
  try {
    const estimatedTokens = await withContext(
      project,
      async ({ database }) => {
        const db = await database();
        const config = await verificationConfig(db, project);
        const context = { db, project, config, rules: await loadRules(project.root, project.dataDir, config) };
        const comparison = await compareWithBaseline(context, head, { keep: true });
        return measureTokens(context, await askedFilesOf(context, comparison, duePaths(comparison)));
      },
      { open: () => openState(copyState(project, folder)) },
    );
    return { ...marker, estimatedTokens };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Works on a copy of the state database, which is gone afterwards. */
export async function withStateCopy<T>(project: Pick<Project, "stateDir">, work: (db: Db) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "ua-hooks-"));
  try {
    const db = await openState(copyState(project, folder));
    try {
      return await work(db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyState({ stateDir }: Pick<Project, "stateDir">, folder: string): string {
  const copy = join(folder, "ua-hooks");
  mkdirSync(copy, { mode: 0o700 });
  for (const end of ["", "-wal"]) {
    const file = `${stateDb(stateDir)}${end}`;
    if (existsSync(file)) copyFileSync(file, `${stateDb(copy)}${end}`);
  }
  return copy;
}
