import { differences } from "../knowledge/differences.js";
import { computePieces } from "../knowledge/graph-pieces.js";
import { unpack } from "../knowledge/packed.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import type { Commit } from "../verification/compare.js";
import { withStateCopy } from "../verification/unmeasured.js";
import { compareHead } from "./compare.js";
import { pieceInput } from "./sync.js";

/** Everything that can be computed from statements, slices and git. */
const CACHES = [
  "compared",
  "candidates",
  "graph_pieces",
  "graph_state",
  "symbol_hashes",
  "drift",
  "fingerprints",
  "used_names",
  "links",
  "node_paths",
  "fingerprint_entries",
];

/**
 * Invariant "incremental equals clean": deletes every cache in a copy of the database, computes them again, and compares. Empty if all is
 * equal.
 */
export async function differencesFromClean(context: LoadedContext, head: Commit): Promise<string[]> {
  const { db, project } = context;
  return withStateCopy(project, async (copy) => {
    for (const table of CACHES) copy.run(`DELETE FROM ${table}`);
    const compared = await compareHead({ ...context, db: copy }, head, { keep: true });
    copy.write(() => compared.save());
    await computePieces({ ...context, db: copy }, pieceInput(compared));
    const [there, clean] = [db, copy].map((one) => contentOf(one, project.scope, project.worktree.id));
    return KINDS.flatMap((kind) => differences(kind, there?.[kind] ?? [], clean?.[kind] ?? []));
  });
}

const KINDS = ["node", "edge", "fingerprint", "verdict"] as const;

function contentOf(db: Db, scope: string, view: string): Record<(typeof KINDS)[number], string[]> {
  const pieces = db.all<{ nodes: Uint8Array; edges: Uint8Array }>(
    "SELECT nodes, edges FROM graph_pieces WHERE scope = ? AND blob IS NOT NULL",
    scope,
  );
  const elements = (data: Uint8Array) =>
    (JSON.parse(`[${unpack(data)}]`) as unknown[]).map((one) => JSON.stringify(one));
  const entries = db.all<{ data: Uint8Array }>("SELECT data FROM fingerprint_entries WHERE scope = ?", scope);
  const verdicts = db.all<object>(
    "SELECT path, oid, analysed_oid, drift, change_level, details, symbols FROM drift WHERE view = ?",
    view,
  );
  return {
    node: pieces.flatMap(({ nodes }) => elements(nodes)),
    edge: pieces.flatMap(({ edges }) => elements(edges)),
    fingerprint: entries.map(({ data }) => unpack(data)),
    verdict: verdicts.map((row) => JSON.stringify(row)),
  };
}
