import type { Drift } from "../fingerprint/types.js";
import { isRegularFile, listTree } from "../git/trees.js";
import type { Config } from "../project/config.js";
import type { Project } from "../project/locate.js";
import type { Db } from "../store/sqlite.js";
import { Baseline } from "./baseline.js";
import { Facts, storedFacts } from "./facts.js";
import { judgePaths } from "./verdicts.js";

/** What there is to say about one path of a view. */
export interface Story {
  inGraph: boolean;
  analysedOid: string | null;
  headOid: string | null;
  drift: Drift;
  details: string[];
  importers: string[];
}

export async function storyOf(db: Db, project: Project, config: Config, head: string, path: string): Promise<Story> {
  const cwd = project.view.path;
  const baseline = new Baseline(db, project.scope, project.view.id);
  const [entry] = await listTree(cwd, head, [path]);
  const headOid = entry !== undefined && isRegularFile(entry.mode) ? entry.oid : null;
  const analysed = baseline.get(path);
  const facts = new Facts(storedFacts(db, false), cwd, config);
  const [verdict] = await judgePaths(new Map([[path, headOid]]), baseline, facts, new Map());
  return {
    inGraph: analysed?.inGraph ?? false,
    analysedOid: analysed?.oid ?? null,
    headOid,
    drift: verdict?.drift ?? "none",
    details: verdict?.details ?? [],
    importers: baseline.importersOf(path),
  };
}
