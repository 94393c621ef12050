import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { GraphNode } from "../../src/graph/types.js";
import type { Marker } from "../../src/marker/marker.js";
import { graphOf } from "../support/agent.js";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";

/**
 * Real histories with each core: UA_HOOKS_CLONES=<folder>:<folder> replays the last 150 commits of these clones (UA_HOOKS_COMMITS=n so many), once with
 * the old core and once with the new one, and counts by kind where they differ: files, action, symbols asked, deleted files, and texts of files of
 * which nothing is asked. After every tenth commit all that is pending is described, in both with the same words. Nothing fails: each kind of
 * difference is for a person to judge, and has its first examples.
 */
const CLONES = (process.env.UA_HOOKS_CLONES ?? "").split(":").filter(Boolean);
const COMMITS = Number(process.env.UA_HOOKS_COMMITS ?? 150);
const EXAMPLES = 3;

interface Said {
  action: string;
  /** By path: ids of symbols, or `all`. */
  asked: Map<string, string>;
  deleted: string;
}

function pendingOf(repo: Repo): { said: Said; marker: Partial<Marker> } {
  const marker = repo.uaJson<Partial<Marker>>("pending");
  const changes = new Map(marker.fileChanges?.map((change) => [change.filePath, change]));
  const symbolsIn = (path: string) => {
    const ids = changes.get(path)?.symbols?.map(({ id }) => id);
    return ids === undefined ? "all" : ids.sort().join(" ");
  };
  return {
    said: {
      action: marker.action ?? "SKIP",
      asked: new Map((marker.filesToReanalyze ?? []).map((path) => [path, symbolsIn(path)])),
      deleted: [...(marker.deletedFiles ?? [])].sort().join(" "),
    },
    marker,
  };
}

/** Of one commit: kind and example. */
function differences(old: Said, now: Said): [kind: string, example: string][] {
  const found: [string, string][] = [];
  for (const path of new Set([...old.asked.keys(), ...now.asked.keys()])) {
    const [before, after] = [old.asked.get(path), now.asked.get(path)];
    if (before === after) continue;
    const kind = before === undefined ? "file only new" : after === undefined ? "file only old" : "other symbols";
    found.push([kind, `${path}: ${before} → ${after}`]);
  }
  if (old.deleted !== now.deleted) found.push(["deleted", `${old.deleted} → ${now.deleted}`]);
  if (old.action !== now.action) found.push(["action", `${old.action} → ${now.action}`]);
  return found;
}

function textDifferences(old: Repo, now: Repo, pending: ReadonlySet<string>): [kind: string, example: string][] {
  const isSettled = ({ filePath }: GraphNode) => filePath !== undefined && !pending.has(filePath);
  const texts = (repo: Repo) =>
    new Map(
      graphOf(repo)
        .nodes.filter(isSettled)
        .map(({ id, summary }) => [id, summary] as const),
    );
  const [before, after] = [texts(old), texts(now)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id): [string, string][] => {
    const [was, is] = [before.get(id), after.get(id)];
    if (was === is) return [];
    const kind = was === undefined ? "node only new" : is === undefined ? "node only old" : "text";
    return [[kind, `${id}: ${was} → ${is}`]];
  });
}

/** Describes everything that both ask. */
function describeAll(repo: Repo, marker: Partial<Marker>, words: string): void {
  const claimed = repo.uaJson<{
    packets?: { describeFile: { id: string } | null; symbols: { id: string; aging?: boolean }[] }[];
  }>("claim", "--full");
  if (marker.action === undefined) return;
  const ids = (claimed.packets ?? []).flatMap(({ describeFile, symbols }) => [
    ...(describeFile === null ? [] : [describeFile.id]),
    ...symbols.flatMap(({ id, aging }) => (aging === true ? [] : [id])),
  ]);
  const descriptions = Object.fromEntries(ids.map((id) => [id, { summary: `${words}: ${id}` }]));
  const file = join(repo.base, "answer.json");
  writeFileSync(file, JSON.stringify({ descriptions }));
  repo.ua("apply", file);
  if (repo.uaJson<Partial<Marker>>("pending").action !== undefined) repo.ua("ack");
}

for (const clone of CLONES) {
  test(`the last ${COMMITS} commits of ${clone} with each core`, (t: TestContext) => {
    const made = makeRepo(t, { name: "old" });
    made.git("fetch", "-q", clone, "HEAD");
    const commits = made
      .git("rev-list", "--first-parent", "--reverse", `--max-count=${COMMITS + 1}`, "FETCH_HEAD")
      .split("\n");
    made.git("reset", "-q", "--hard", commits[0] ?? "");
    made.git("clone", "-q", "--no-local", made.dir, "../new");
    const now = repoAt(join(made.base, "new"), made.base, { ...made.env, UA_HOOKS_CORE: "statements" });
    now.git("fetch", "-q", made.dir, commits.at(-1) ?? "");
    for (const repo of [made, now]) repo.ua("install", "--yes");
    const counts = new Map<string, string[]>();
    for (const [at, commit] of commits.slice(1).entries()) {
      for (const repo of [made, now]) repo.git("reset", "-q", "--hard", commit);
      const [old, other] = [pendingOf(made), pendingOf(now)];
      const pending = new Set([...old.said.asked.keys(), ...other.said.asked.keys()]);
      const isTenth = at % 10 === 9;
      const found = [...differences(old.said, other.said), ...(isTenth ? textDifferences(made, now, pending) : [])];
      for (const [kind, example] of found)
        counts.set(kind, [...(counts.get(kind) ?? []), `${commit.slice(0, 8)} ${example}`]);
      if (!isTenth) continue;
      describeAll(made, old.marker, `at ${at}`);
      describeAll(now, other.marker, `at ${at}`);
    }
    t.diagnostic(`${commits.length - 1} commits; ${counts.size === 0 ? "no difference" : "differences:"}`);
    for (const [kind, examples] of counts) {
      t.diagnostic(`${examples.length} × ${kind}`);
      for (const example of examples.slice(0, EXAMPLES)) t.diagnostic(`  ${example}`);
    }
  });
}
