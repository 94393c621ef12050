import type { Head } from "../git/head.js";
import { type FileAtHead, isElsewhere } from "../knowledge/at-head.js";
import { matchMoves } from "../knowledge/matching.js";
import { addCandidates, addRename, repeatStatements, type Statement } from "../knowledge/statements.js";
import type { SymbolAt } from "../knowledge/symbols.js";
import type { LoadedContext } from "../repository/context.js";
import type { Compared } from "./compare.js";

/** Renames in the commits since the last followed one, so that two of them in one pull lose nothing. */
export async function followRenames({ db, project }: LoadedContext, { commit }: Head): Promise<void> {
  db.run("UPDATE views SET followed_sha = ? WHERE id = ?", commit, project.worktree.id);
}

/**
 * Answered paths that are gone, and paths without an answered content, are matched by content; what is stated of a symbol that moved or was
 * renamed is stated at its new place, too. Returns whether anything was found: then HEAD has to be compared anew.
 */
export async function followFound(context: LoadedContext, compared: Compared): Promise<boolean> {
  return (await followFiles(context, compared)) || (await followSymbols(context, compared));
}

async function followFiles({ db, project }: LoadedContext, compared: Compared): Promise<boolean> {
  const came = compared.verdicts.flatMap(({ filePath: path, drift, oid }) =>
    drift === "new" && oid !== null ? [{ path, oid }] : [],
  );
  if (compared.lost.length === 0 || came.length === 0) return false;
  const pairs = await matchMoves(compared.lost, came, project.worktree.path);
  db.write(() => {
    for (const pair of pairs) addRename(db, pair);
  });
  return pairs.length > 0;
}

async function followSymbols({ db, project }: LoadedContext, { atHead, paths, tree }: Compared): Promise<boolean> {
  if (db.get("SELECT 1 AS one FROM statements WHERE text IS NOT NULL LIMIT 1") === undefined) return false;
  const there = [...paths].filter((path) => tree.blobOf(path) !== null);
  await atHead.prepare(there, { texts: true });
  const found = there.flatMap((path) => {
    const file = atHead.file(path);
    return file.symbols.all().flatMap((symbol) => statedElsewhere(file, symbol));
  });
  if (found.length === 0) return false;
  db.write(() => {
    repeatStatements(db, project.scope, found);
    addCandidates(
      db,
      found.map(({ path }) => path),
    );
  });
  return true;
}

/** A text, or else an answer, that came along with its symbol: what it is about, who wrote it and when stay as they were. */
function statedElsewhere(file: FileAtHead, symbol: SymbolAt): Statement[] {
  const { path } = file;
  const text = file.text(symbol);
  const row = text === null ? null : text.description.row;
  if (row !== null) return isElsewhere(row, { path, name: symbol.name }) ? [{ ...row, path, name: symbol.name }] : [];
  const answer = file.answer(symbol);
  if (answer === null || (answer.nearness !== "moved" && answer.nearness !== "renamed")) return [];
  const { id: _id, lineRange: _lineRange, row: from, ...state } = answer.state;
  if (!isElsewhere(state, { path, name: symbol.name })) return [];
  const { batch, source, author, at, language } = from;
  return [{ ...state, path, name: symbol.name, id: 0, batch, text: null, source, author, at, language }];
}
