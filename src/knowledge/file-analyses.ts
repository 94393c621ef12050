import { hasDescription } from "../graph/descriptions.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import { keyPath } from "../store/state.js";
import { Facts, factKey, storedFacts } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { knownAnalysis } from "./known.js";

/** So many analyses at a time: their files are parsed where their fingerprints were pruned. */
const BATCH = 500;

/**
 * Once per clone: what was delivered before descriptions were kept by symbol is stored as such, with its time. A blob that git does
 * not have any more, and whose fingerprint is not stored, is its own key.
 */
export async function fileStoredAnalyses({ db, project, config }: LoadedContext): Promise<void> {
  if (readSetting(db, SETTINGS.descriptionsStored) !== null) return;
  const rows = db.all<{ path: string; oid: string; at: string }>(
    "SELECT path, oid, delivered_at AS at FROM analyses WHERE oid != '' AND source != 'structural' ORDER BY delivered_at",
  );
  const around = choiceContext(db, project.scope);
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH).map((row) => ({ ...row, path: keyPath(row.path) }));
    const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(batch);
    db.write(() => {
      for (const { path, oid, at } of batch) {
        const nodes = (knownAnalysis(db, path, oid)?.analysis.nodes ?? []).filter(hasDescription);
        if (nodes.length === 0) continue;
        const origin = { source: "here" as const, author: null, at, commit: null, language: null };
        const file = { path, oid, fact: facts.get(factKey({ path, oid })) };
        new FileDescriptions(around, file).put(nodes, origin, "own");
      }
    });
  }
  writeSetting(db, SETTINGS.descriptionsStored, new Date().toISOString());
}
