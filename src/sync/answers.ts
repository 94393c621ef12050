import type { FileAtHead } from "../knowledge/at-head.js";
import { ABSENT, addStatements, type NewBatch, type NewStatement } from "../knowledge/statements.js";
import { contentStatement, symbolStatement } from "../knowledge/symbols.js";
import type { LoadedContext } from "../repository/context.js";
import { dropStamps } from "../verification/stamp.js";
import type { VerifyOptions } from "../verification/verify.js";
import type { Compared } from "./compare.js";

/** The operation of a worktree that adds statements. */
export function batchOf({ project }: LoadedContext, { head }: Pick<Compared, "head">, command: string): NewBatch {
  return {
    scope: project.scope,
    command,
    view: project.worktree.id,
    commit: head,
    at: new Date().toISOString(),
    source: "here",
  };
}

/** Adds statements. All stamps of the clone go first: after a kill none of them may hold that was made before. */
export function state(context: LoadedContext, batch: NewBatch, statements: readonly NewStatement[]): void {
  if (statements.length === 0) return;
  dropStamps(context.project);
  context.db.write(() => addStatements(context.db, batch, statements));
}

export const absence = (path: string): NewStatement => ({
  path,
  type: "content",
  name: "",
  hash: ABSENT,
  blob: null,
  text: null,
});

/**
 * Inline mode and `run`: every symbol whose shown text, if there is one, is about this content needs nothing more. Returns whether anything
 * was answered.
 */
export async function answerStructure(
  context: LoadedContext,
  compared: Compared,
  structural: VerifyOptions["structural"],
): Promise<boolean> {
  const { config } = context;
  const isInline = config.mode === "inline" && config.analyzer === "structural";
  if (structural === undefined && !isInline) return false;
  await compared.atHead.prepare(
    compared.verdicts.map(({ filePath }) => filePath),
    { texts: true },
  );
  const answers = compared.verdicts.flatMap(({ filePath: path, drift }): NewStatement[] =>
    drift === "gone" ? [absence(path)] : structureOf(compared.atHead.file(path)),
  );
  state(context, batchOf(context, compared, isInline ? "inline" : "run"), answers);
  return answers.length > 0;
}

const NEAR: ReadonlySet<string> = new Set(["exact", "moved", "renamed"]);

function structureOf(file: FileAtHead): NewStatement[] {
  const { path, blob, fact } = file;
  if (blob === null || fact === undefined) return [];
  const symbols = file.symbols.all();
  const answered = symbols.filter((symbol) => {
    const text = file.text(symbol);
    return text === null || NEAR.has(text.nearness);
  });
  if (answered.length === symbols.length) return [contentStatement(path, blob, fact)];
  return answered
    .filter((symbol) => file.answer(symbol)?.nearness !== "exact")
    .map((symbol) => symbolStatement(path, blob, symbol, null));
}

/**
 * The whole content, with a copy of each shown text at the new hash: what was said still holds. A text that may be false, and was not
 * asked about, keeps its mark: nobody has looked at it. `isListed`: by id; without it everything was.
 */
export function wholeContent(file: FileAtHead, isListed: (id: string) => boolean = () => true): NewStatement[] {
  const { path, blob, fact } = file;
  if (blob === null) return [absence(path)];
  const copies = file.symbols.all().flatMap((symbol) => {
    const text = file.text(symbol);
    if (text === null || text.nearness === "exact") return [];
    if ((text.nearness === "behaviour" || text.nearness === "interface") && !isListed(symbol.id)) return [];
    const { row } = text.description;
    const copy = symbolStatement(path, blob, symbol, row.text);
    return [
      {
        ...copy,
        author: row.author,
        language: row.language,
        ...(row.source === "shared" ? { source: row.source } : {}),
      },
    ];
  });
  return [...copies, contentStatement(path, blob, fact)];
}
