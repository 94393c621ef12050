import { existsSync } from "node:fs";
import { join } from "node:path";
import { Documents } from "../citations/read.js";
import { UaError } from "../errors.js";
import { type Head, readHead } from "../git/head.js";
import { namedCommit } from "../git/history.js";
import { isAdopted } from "../knowledge/adopted.js";
import { changesOf } from "../marker/symbols.js";
import { type Context, withContext } from "../repository/context.js";
import { isSetUp, requireSetUp } from "../repository/installed.js";
import { locateProject, type Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { openEmptyState } from "../store/state.js";
import { compareStated, usesStatements } from "../sync/switch.js";
import { type ChangedSymbol, listChangedSymbols } from "../verification/changed-symbols.js";
import { type Comparison, compareCommits, unstoredFacts } from "../verification/compare.js";
import { stopped } from "../verification/verify.js";
import { worktreeRow } from "../verification/worktree-rows.js";
import { formatOf, githubLines, markdownLines, reviewLines } from "./check-format.js";
import type { Command } from "./command.js";
import { findingDocument } from "./docs.js";
import { createOut, printable } from "./output.js";
import { actionLabel, changeLines } from "./verdict-lines.js";

export const check: Command = {
  summary: "verify now, and write nothing",
  busy: "comparing",
  usage: "[--base COMMIT] [--head COMMIT] [--format F] [--exit-code]",
  example: "ua-hooks check --base origin/main --json",
  options: {
    base: { type: "string" },
    head: { type: "string" },
    format: { type: "string" },
    "exit-code": { type: "boolean" },
  },
  help: {
    "--base COMMIT": "compare with this commit, not with the baseline; needs no install",
    "--head COMMIT": "verify this commit, not HEAD",
    "--format F": "text, json, markdown (a comment for a pull request) or github (annotations)",
    "--exit-code": "exit 1 if something structural changed",
  },
  async run({ cwd, flags, out }) {
    const format = formatOf(flags.format);
    const project = await locateProject({ cwd, env: process.env });
    if (flags.base === undefined) requireSetUp(project);
    const here = await readHead(project.worktree.gitDir, project.commonDir);
    const head = typeof flags.head === "string" ? { commit: await commitOf(project, flags.head) } : here;
    if (head.commit === null) throw new UaError("usage", "there is no commit yet");
    const at: Head & { commit: string } = { ...head, commit: head.commit };
    const base = typeof flags.base === "string" ? await commitOf(project, flags.base) : null;
    const open = isSetUp(project) ? {} : { open: openEmptyState };
    const compare = async (context: Context) => {
      const loaded = await context.load();
      const { db } = loaded;
      db.exec("PRAGMA query_only = 1");
      if (base === null && !usesStatements()) requireBaseline(db, project, here);
      const facts = unstoredFacts(loaded);
      const found = base === null ? await compareStated(loaded, at) : await compareCommits(loaded, base, at, facts);
      const symbols = await listChangedSymbols(found.fileChanges, facts);
      const documents = base === null ? null : await Documents.open(loaded, { isKept: false });
      const broken = base === null ? null : ((await documents?.brokenBetween(base, at.commit)) ?? []);
      return { found, symbols, broken, from: base ?? worktreeRow(db, project.worktree.id)?.base_sha ?? null };
    };
    const { found, symbols, broken, from } = await withContext(project, compare, open);
    const review = { found, symbols, broken: broken ?? [] };
    const document = {
      ...toDocument(found, symbols, from, at),
      ...(broken === null ? {} : { docs: { broken: broken.map(findingDocument) } }),
    };
    const lines = format === "markdown" ? markdownLines(review) : format === "github" ? githubLines(review) : null;
    if (format === "json") createOut({ json: true }).result(document, []);
    else out.result(document, lines ?? [...toLines(found), ...reviewLines(review)]);
    return flags["exit-code"] === true && found.action !== "SKIP" ? 1 : 0;
  },
};

function toDocument(
  found: Comparison,
  symbols: readonly ChangedSymbol[],
  from: string | null,
  head: Head,
): Record<string, unknown> {
  const { action, reason, filesToReanalyze, deletedFiles, renamedFiles } = found;
  const { rerunArchitecture, rerunTour, dependents, dependentUses, timings } = found;
  const fileChanges = changesOf(found, found.fileChanges);
  return {
    ...{ schema: "ua-hooks.check/1", action, reason, base: { commit: from }, head },
    ...{ filesToReanalyze, deletedFiles, renamedFiles, rerunArchitecture, rerunTour },
    fileChanges,
    symbols,
    dependents,
    dependentUses,
    timings,
  };
}

function toLines(found: Comparison): string[] {
  const { action, reason } = found;
  return [`${actionLabel(action)}: ${printable(reason)}`, ...changeLines(changesOf(found, found.fileChanges))];
}

function requireBaseline(db: Db, project: Project, head: Head): void {
  const stop = stopped(db, project, head);
  if (stop?.outcome !== "no-graph" && isAdopted(db, project)) return;
  throw new UaError(
    "not-set-up",
    stop?.reason ?? "the graph was changed since the last verification",
    "run `ua-hooks status` first, or use --base",
  );
}

async function commitOf(project: Project, name: string): Promise<string> {
  const commit = await namedCommit(project.worktree.path, name);
  if (commit === null) {
    const shallow = existsSync(join(project.commonDir, "shallow"));
    const next = shallow
      ? "this clone is shallow: run `git fetch --unshallow`, or use a larger fetch-depth"
      : "fetch the commit first";
    throw new UaError("usage", `"${printable(name)}" is not a commit in this repository`, next);
  }
  return commit;
}
