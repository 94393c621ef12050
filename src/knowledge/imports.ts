import type { KnowledgeGraph } from "../graph/types.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { graphFacts } from "./adopt.js";

/** Updates the stored imports from the graph: only rows that differ are written. */
export function syncImports(db: Db, scope: string, graph: KnowledgeGraph): void {
  const { files, imports } = graphFacts(graph);
  const wanted = new Set(imports.map(([from, to]) => `${pathKey(from)}\0${pathKey(to)}`));
  const there = db.all<{ importer: string; imported: string }>(
    "SELECT importer, imported FROM imports WHERE scope = ?",
    scope,
  );
  for (const { importer, imported } of there) {
    if (wanted.delete(`${importer}\0${imported}`)) continue;
    db.run("DELETE FROM imports WHERE scope = ? AND importer = ? AND imported = ?", scope, importer, imported);
  }
  for (const pair of wanted) {
    const [importer = "", imported = ""] = pair.split("\0");
    db.run("INSERT OR IGNORE INTO imports VALUES(?, ?, ?)", scope, importer, imported);
  }
  writeSetting(db, SETTINGS.graphFiles, files.size, scope);
}
