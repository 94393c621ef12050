import { existsSync } from "node:fs";
import { type TrustState, trustState } from "../analyzers/trust.js";
import { messageOf, UaError } from "../errors.js";
import { viewRow } from "../freshness/views.js";
import { readHead } from "../git/head.js";
import { type Distance, dirtyPaths, distance } from "../git/status.js";
import { readView } from "../hook/read.js";
import type { Verification } from "../hook/verify.js";
import { type HooksState, hooksState } from "../install/state.js";
import { loadConfig } from "../project/config.js";
import { locateProject, type Project, projectOf } from "../project/locate.js";
import { loadRules } from "../project/rules.js";
import { listViews } from "../project/views.js";
import { stateDb } from "../store/files.js";
import { openState } from "../store/state.js";
import type { Command } from "./command.js";
import { count, paint, printable, short, table } from "./output.js";

type Status = "fresh" | "pending" | "dirty" | "stale" | "unknown" | "uninitialized";

interface Situation {
  status: Status;
  reason: string;
  found: Omit<Verification, "judgement"> | null;
  baseline: string | null;
  verified: string | null;
  distance: Distance;
  dirty: string[];
  /** null: the built-in one. */
  analyzer: TrustState | null;
}

export const status: Command = {
  summary: "is what is known about this code still true?",
  usage: "[--exit-code]",
  example: "ua-hooks status --json",
  options: { "exit-code": { type: "boolean" } },
  help: { "--exit-code": "exit 1 unless everything is fresh" },
  async run({ cwd, flags, out }) {
    const project = await locateProject({ cwd, env: process.env });
    const [situation, hooks] = await Promise.all([look(project), hooksState(project)]);
    const worktrees = await otherViews(project);
    out.result(toDocument(project, situation, hooks, worktrees), toLines(project, situation, hooks, worktrees));
    return flags["exit-code"] === true && situation.status !== "fresh" ? 1 : 0;
  },
};

async function look(project: Project): Promise<Situation> {
  const nothing = { found: null, baseline: null, verified: null, dirty: [], analyzer: null };
  const none = { ...nothing, distance: await distance("", null, null) };
  if (!existsSync(stateDb(project.stateDir))) {
    return { ...none, status: "uninitialized", reason: "ua-hooks is not installed here; `ua-hooks install` does it" };
  }
  const found = await readView(project).catch((error: unknown) => {
    // Law 6: what cannot be judged is unknown, with the reason. A damaged or busy store is for the user to mend.
    if (error instanceof UaError && (error.code === "git" || error.code === "failed")) return error;
    throw error;
  });
  if (found instanceof UaError) return { ...none, status: "unknown", reason: unknownReason(found) };
  const rows = await rowsOf(project);
  const at = await distance(project.view.path, rows.baseline, found.head.commit);
  const dirty = await dirtySources(project);
  return { ...verdict(found, dirty), found, ...rows, distance: at, dirty };
}

function unknownReason({ message, next }: UaError): string {
  return next === undefined ? message : `${message}; ${next}`;
}

function verdict(
  found: Omit<Verification, "judgement">,
  dirty: readonly string[],
): Pick<Situation, "status" | "reason"> {
  const { outcome, reason } = found;
  if (outcome === "pending") return { status: "pending", reason };
  if (outcome === "no-graph") return { status: "uninitialized", reason };
  if (outcome === "off") return { status: "stale", reason };
  if (outcome === "unborn") return { status: "fresh", reason };
  if (outcome === "unknown") return { status: "unknown", reason };
  if (dirty.length === 0) return { status: "fresh", reason };
  return {
    status: "dirty",
    reason: `${dirty.length} source ${dirty.length === 1 ? "file has" : "files have"} uncommitted changes`,
  };
}

async function rowsOf(project: Project): Promise<Pick<Situation, "baseline" | "verified" | "analyzer">> {
  const config = await loadConfig(project.root);
  const db = await openState(project.stateDir);
  try {
    const row = viewRow(db, project.view.id);
    const analyzer = config.analyzer === "structural" ? null : trustState(db, config, project.root);
    return { baseline: row?.base_sha ?? null, verified: row?.verified_sha ?? null, analyzer };
  } finally {
    db.close();
  }
}

async function dirtySources(project: Project): Promise<string[]> {
  const rules = await loadRules(project.root, project.dataDir, await loadConfig(project.root));
  return (await dirtyPaths(project.view.path)).filter((path) => rules.covers(path, false));
}

interface Worktree {
  id: string;
  path: string;
  head: string | null;
  branch?: string;
}

async function otherViews(project: Project): Promise<Worktree[]> {
  const views = listViews(project);
  return Promise.all(
    views.map(async (view) => {
      const { commonDir } = projectOf(view, project, process.env);
      const head = await readHead(view.gitDir, commonDir).catch((error: unknown) => ({
        commit: null,
        error: messageOf(error),
      }));
      return { id: view.id, path: view.path, head: head.commit, ...("branch" in head ? { branch: head.branch } : {}) };
    }),
  );
}

function toDocument(project: Project, s: Situation, hooks: HooksState, worktrees: Worktree[]): Record<string, unknown> {
  const { view } = project;
  return {
    schema: "ua-hooks.status/1",
    status: s.status,
    reason: s.reason,
    worktree: { id: view.id, path: view.path, linked: view.linked },
    dataDir: project.dataDir,
    stateDir: project.stateDir,
    head: s.found?.head ?? null,
    baseline: { commit: s.baseline },
    lastVerifiedSha: s.verified,
    relation: s.distance.relation,
    commitsBehind: s.distance.behind,
    commitsAhead: s.distance.ahead,
    dirtyFiles: s.dirty,
    pending: s.found?.marker ?? null,
    hooks,
    analyzer: s.analyzer === null ? "structural" : { command: s.analyzer.command, trusted: s.analyzer.trusted },
    worktrees,
    records: { active: 0, stale: 0, historical: 0 },
  };
}

const COLOURS = {
  fresh: "green",
  pending: "yellow",
  dirty: "yellow",
  stale: "red",
  unknown: "red",
  uninitialized: "dim",
} as const;

function toLines(project: Project, s: Situation, hooks: HooksState, worktrees: Worktree[]): string[] {
  const head = s.found?.head;
  const far = {
    behind: `${count(s.distance.behind, "commit")} behind HEAD`,
    ahead: `${count(s.distance.ahead, "commit")} ahead of HEAD`,
  };
  const relation =
    s.distance.relation === "diverged"
      ? `diverged from HEAD (${s.distance.behind} behind, ${s.distance.ahead} ahead)`
      : s.distance.relation === "behind" || s.distance.relation === "ahead"
        ? far[s.distance.relation]
        : "";
  const rows = [
    [paint("bold", "Status"), `${paint(COLOURS[s.status], s.status)}  ${printable(s.reason)}`],
    [
      "HEAD",
      head === undefined
        ? ""
        : `${short(head.commit)}${head.branch === undefined ? " (detached)" : ` ${printable(head.branch)}`}`,
    ],
    ["Verified", short(s.verified)],
    ["Baseline", `${short(s.baseline)}  ${relation}`.trimEnd()],
    [
      "Hooks",
      hooks.warning ??
        (hooks.installed.length === 0 ? "not installed" : `${hooks.installed.length} in ${hooks.place} hook files`),
    ],
  ];
  if (s.analyzer !== null) {
    const command = printable(JSON.stringify(s.analyzer.command));
    rows.push(["Analyzer", s.analyzer.trusted ? command : `${command}, not trusted: \`ua-hooks trust\` lets it run`]);
  }
  if (worktrees.length > 1)
    rows.push(["Worktrees", worktrees.map(({ id }) => (id === "." ? "main" : printable(id))).join(", ")]);
  const marker = s.found?.marker;
  if (marker === null || marker === undefined)
    return table(project.view.linked ? [["Worktree", project.view.id], ...rows] : rows);
  const files = [...marker.filesToReanalyze, ...marker.deletedFiles.map((file) => `${file} (deleted)`)];
  const shown = files.slice(0, 8).map((file) => `  ${printable(file)}`);
  const more = files.length > shown.length ? [`  … and ${files.length - shown.length} more`] : [];
  return [...table(rows), "", `${marker.action}, about ${count(marker.estimatedTokens, "token")}:`, ...shown, ...more];
}
