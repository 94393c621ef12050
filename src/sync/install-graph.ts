import { isRegularFile, listTree } from "../git/trees.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { addStatements, type NewStatement } from "../knowledge/statements.js";
import { storeFacts } from "../knowledge/store-facts.js";
import { contentStatement } from "../knowledge/symbols.js";
import type { LockedContext } from "../repository/context.js";
import { runtimeDir } from "../store/upgrade.js";
import { dropStamps } from "../verification/stamp.js";
import { Documents, writeDocuments } from "./documents.js";
import { sync } from "./sync.js";

/**
 * Builds the graph of HEAD, without an LLM, from blobs and not from the work tree: HEAD's contents are answered, and the loop does the
 * rest. Returns the number of files.
 */
export async function installGraph(
  locked: LockedContext,
  commit: string | null,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const context = await locked.load();
  const { db, project, rules, config } = context;
  const tree = commit === null ? [] : await listTree(project.worktree.path, commit);
  const files = tree.filter(({ mode, path }) => isRegularFile(mode) && rules.covers(path, false));
  const folder = runtimeDir(project.stateDir);
  const onFile = (done: number) => onProgress(done, files.length);
  const { others } = await storeFacts(context, files, { isChecked: true, folder, onFile });
  const facts = new Facts(storedFacts(db, { keep: false }), project.worktree.path, config);
  const factOf = (file: { path: string; oid: string }) => others.get(file.path) ?? facts.known(file) ?? undefined;
  const batch = {
    scope: project.scope,
    command: "install",
    view: project.worktree.id,
    commit,
    at: new Date().toISOString(),
    source: "here" as const,
  };
  dropStamps(project);
  let there = 0;
  db.write(() => {
    const statements = files.map((file): NewStatement => {
      const fact = factOf(file);
      if (fact !== undefined) there++;
      return contentStatement(file.path, file.oid, fact);
    });
    addStatements(db, batch, statements);
    // Built anew, whatever is cached.
    db.run("DELETE FROM graph_state WHERE scope = ?", project.scope);
    const empty = JSON.stringify({ rules: "", configs: [], texts: [] });
    const sql = "INSERT INTO graph_state(scope, commit_oid, data, version, entries) VALUES(?, '', ?, ?, ?)";
    if (commit === null) db.run(sql, project.scope, empty, Date.now(), Date.now());
  });
  if (commit !== null) await sync(locked, { allowTracked: true, isInstall: true, folder });
  else {
    const documents = Documents.observe(db, project);
    const counting = { scope: project.scope, excluded: new Set<number>() };
    const nothing = { writeMarker: () => {}, assertHeld: () => locked.lock.assertHeld() };
    await writeDocuments(context, documents, { ...nothing, counting, settled: null, isCommand: true });
  }
  return there;
}
