import type { Drift } from "../fingerprint/types.js";
import type { Head } from "../git/head.js";
import { matchMoves } from "../knowledge/matching.js";
import { addRename } from "../knowledge/statements.js";
import type { LoadedContext } from "../repository/context.js";
import type { Compared } from "./compare.js";

/** Renames in the commits since the last followed one, so that two of them in one pull lose nothing. */
export async function followRenames({ db, project }: LoadedContext, { commit }: Head): Promise<void> {
  db.run("UPDATE views SET followed_sha = ? WHERE id = ?", commit, project.worktree.id);
}

/** Answered paths that are gone, and paths without an answered content, are matched by content. Returns whether any were. */
export async function followFound({ db, project }: LoadedContext, compared: Compared): Promise<boolean> {
  const side = (wanted: Drift, blobOf: "oid" | "analysedOid") =>
    compared.verdicts.flatMap((verdict) => {
      const oid = verdict[blobOf];
      return verdict.drift === wanted && oid !== null ? [{ path: verdict.filePath, oid }] : [];
    });
  const [gone, came] = [side("gone", "analysedOid"), side("new", "oid")];
  if (gone.length === 0 || came.length === 0) return false;
  const pairs = await matchMoves(gone, came, project.worktree.path);
  db.write(() => {
    for (const pair of pairs) addRename(db, pair);
  });
  return pairs.length > 0;
}
