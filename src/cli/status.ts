import { type AgentState, checkAgents } from "../agents/check.js";
import { trustAdvice } from "../agents/client-trust.js";
import { countBrokenLines } from "../citations/read.js";
import { isUaError, messageOf, type UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { MANAGER_LABELS } from "../hook-managers/manager.js";
import { type HooksState, hooksState } from "../hook-managers/state.js";
import { checkHooks } from "../hook-managers/watch.js";
import { isOtherBuild } from "../install/runtime.js";
import type { Marker } from "../marker/marker.js";
import { countRecords, type RecordCounts } from "../records/query.js";
import { hasRecords } from "../records/store.js";
import { openRecords } from "../records/verify.js";
import { type Context, withContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import { LONG_NAME, locateProject, type Project, projectOf, SHORT_NAME } from "../repository/locate.js";
import { pausedSince } from "../repository/paused.js";
import { listWorktrees } from "../repository/worktrees.js";
import { type SharingReport, sharingReport } from "../sharing/status.js";
import { runtimeVersion } from "../store/upgrade.js";
import { worktreeStatus } from "../sync/switch.js";
import { takeMovedNews } from "../verification/data-dir.js";
import { unknownReason, type WorktreeStatus } from "../verification/status.js";
import type { Command } from "./command.js";
import { count, facts, moment, paint, printable, short } from "./output.js";
import { actionLabel, attemptLines, lastKnownText, reviewRows } from "./verdict-lines.js";

export const status: Command = {
  summary: "is the knowledge about this code up to date?",
  busy: "verifying",
  usage: "[--exit-code]",
  example: "ua-hooks status --json",
  options: { "exit-code": { type: "boolean" } },
  help: { "--exit-code": "exit 1 unless everything is fresh" },
  async run({ cwd, flags, out }) {
    const project = await locateProject({ cwd, env: process.env }).catch(refusalOf);
    if (isUaError(project)) {
      const reason = unknownReason(project);
      out.result({ schema: "ua-hooks.status/1", status: "unknown", reason }, facts([stateRow("unknown", reason)]));
      return flags["exit-code"] === true ? 1 : 0;
    }
    const { situation, repaired, records, sharing, brokenLines, moved } = await withContext(
      project,
      async (context) => {
        const [read, hooked] = await Promise.all([worktreeStatus(context), hooksWarning(project)]);
        // Where the database or git cannot be asked, there is nothing to count either.
        const nothing = { records: NO_RECORDS, sharing: null, brokenLines: null, moved: null };
        if (read.status === "unknown") return { situation: read, ...hooked, ...nothing };
        return {
          situation: read,
          ...hooked,
          records: await recordsIn(context),
          sharing: await sharingIn(context),
          brokenLines: await brokenLinesIn(context),
          moved: await movedNews(context),
        };
      },
    );
    const hooks: Hooks = { ...(await hooksNow(project)), paused: pausedSince(project.stateDir) };
    if (repaired) out.note("The hooks that another tool's install had removed are restored (selfRepair).");
    if (moved !== null)
      out.note(
        `git tracks ${SHORT_NAME}/, so it is the data dir now. ${LONG_NAME}/ was moved to ${printable(moved)}; its descriptions are in the store.`,
      );
    const agents = checkAgents(project, cwd, process.env);
    const around = { hooks, worktrees: await otherWorktrees(project), agents, sharing, brokenLines };
    out.result({ ...toDocument(project, situation, around), records }, [
      ...toLines(project, situation, around),
      ...recordLines(records),
    ]);
    return flags["exit-code"] === true && situation.status !== "fresh" ? 1 : 0;
  },
};

/** Where git cannot be asked, that is the answer: the rest of the status stands. */
async function hooksNow(project: Project): Promise<HooksState> {
  try {
    return await hooksState(project);
  } catch (error) {
    if (!isUaError(error) || error.code !== "git") throw error;
    return { place: null, places: [], installed: [], missing: [], bypassed: [], warning: messageOf(error) };
  }
}

/** A repository that git refuses: nothing of it is read, so nothing more can be said (invariant "unknown is not fresh"). */
function refusalOf(error: unknown): UaError {
  if (isUaError(error) && error.code === "refused") return error;
  throw error;
}

type Hooks = HooksState & { paused: string | null };

const NO_RECORDS: RecordCounts = { active: 0, stale: 0, historical: 0 };

/** Verdicts for this worktree. Most clones have no records and skip this. */
async function recordsIn(context: Context): Promise<RecordCounts> {
  if (!isSetUp(context.project)) return NO_RECORDS;
  return hasRecords(await context.database()) ? countRecords(await openRecords(context)) : NO_RECORDS;
}

/** Said once. Where nothing can be written, again at the next call. */
async function movedNews(context: Context): Promise<string | null> {
  if (!isSetUp(context.project)) return null;
  return takeMovedNews(await context.database(), context.project);
}

function recordLines({ active, stale, historical }: RecordCounts): string[] {
  if (active + stale + historical === 0) return [];
  return [
    "",
    `${count(active, "record")} ${active === 1 ? "is" : "are"} active here, ${stale} stale, ${historical} historical`,
  ];
}

/** With `selfRepair` this check also restores removed hooks. A damaged config is reported elsewhere. */
async function hooksWarning(project: Project): Promise<{ repaired: boolean }> {
  if (!isSetUp(project)) return { repaired: false };
  return checkHooks(project).catch(() => ({ repaired: false }));
}

interface WorktreeLine {
  id: string;
  path: string;
  head: string | null;
  branch?: string;
}

async function otherWorktrees(project: Project): Promise<WorktreeLine[]> {
  const worktrees = listWorktrees(project);
  return Promise.all(
    worktrees.map(async (worktree) => {
      const { commonDir } = projectOf(worktree, project, process.env);
      const head = await readHead(worktree.gitDir, commonDir).catch((error: unknown) => ({
        commit: null,
        error: messageOf(error),
      }));
      return {
        id: worktree.id,
        path: worktree.path,
        head: head.commit,
        ...("branch" in head ? { branch: head.branch } : {}),
      };
    }),
  );
}

/** null: nothing is set up, or git or the config cannot be read, which is said elsewhere. */
async function brokenLinesIn(context: Context): Promise<number | null> {
  if (!isSetUp(context.project)) return null;
  try {
    return await countBrokenLines(await context.load());
  } catch (error) {
    if (isUaError(error)) return null;
    throw error;
  }
}

/** null: sharing is off, and no other clone has shared anything with this one. */
async function sharingIn(context: Context): Promise<SharingReport | null> {
  if (!isSetUp(context.project)) return null;
  const report = sharingReport(await context.database());
  return report.sharing === null && report.authors.length === 0 ? null : report;
}

function sharingLine({ sharing, paused, authors, savings }: SharingReport): string {
  const state = sharing === null ? "off" : `${printable(sharing.remote)}, trust ${sharing.trust}`;
  if (paused !== null) return paint("yellow", `paused: ${printable(paused)}`);
  const known = authors.reduce((sum, { descriptions }) => sum + descriptions, 0);
  if (known === 0) return state;
  const saved = savings.reduce((sum, { tokens }) => sum + tokens, 0);
  const from = `${count(known, "description")} of ${count(authors.length, "author")}`;
  return `${state}; ${from}${saved === 0 ? "" : `, about ${count(saved, "token")} saved`}`;
}

interface Around {
  sharing: SharingReport | null;
  brokenLines: number | null;
  hooks: Hooks;
  worktrees: WorktreeLine[];
  agents: AgentState[];
}

function toDocument(
  project: Project,
  s: WorktreeStatus,
  { hooks, worktrees, agents, sharing, brokenLines }: Around,
): Record<string, unknown> {
  const { worktree } = project;
  return {
    schema: "ua-hooks.status/1",
    status: s.status,
    reason: s.reason,
    worktree: { id: worktree.id, path: worktree.path, linked: worktree.linked },
    dataDir: project.dataDir,
    stateDir: project.stateDir,
    head: s.verification?.head ?? null,
    baseline: { commit: s.baseline },
    lastVerifiedSha: s.verified,
    ...(s.lastKnown === null ? {} : { lastKnown: s.lastKnown }),
    relation: s.distance.relation,
    commitsBehind: s.distance.behind,
    commitsAhead: s.distance.ahead,
    dirtyFiles: s.dirty,
    review: s.review.length,
    reviewSymbols: s.review.slice(0, MOST_REVIEWED),
    docs: brokenLines === null ? null : { brokenLines },
    pending: s.verification?.marker ?? null,
    hooks,
    analyzer: s.analyzer === null ? "structural" : { command: s.analyzer.command, trusted: s.analyzer.trusted },
    ignored: s.ignored,
    unwritten: s.unwritten,
    agents,
    sharing,
    worktrees,
    ...(s.graphWorktree === null ? {} : { graphWorktree: s.graphWorktree.id }),
    program: { version: UA_HOOKS_VERSION, hooks: runtimeVersion(project.stateDir)?.version ?? null },
  };
}

/** Nothing where the hooks run this version of the program, or there are none. */
function programRows({ stateDir }: Project, { installed }: Hooks): string[][] {
  if (installed.length === 0) return [];
  const hooks = runtimeVersion(stateDir)?.version ?? "an earlier version";
  const theirs = hooks !== UA_HOOKS_VERSION ? hooks : isOtherBuild(stateDir) ? `another build of ${hooks}` : null;
  if (theirs === null) return [];
  return [
    ["Program", `this is ${UA_HOOKS_VERSION}, the hooks run ${theirs}: \`ua-hooks install\` brings them in step`],
  ];
}

function documentRows(brokenLines: number | null): string[][] {
  if (brokenLines === null || brokenLines === 0) return [];
  const what = `${count(brokenLines, "line")} ${brokenLines === 1 ? "is" : "are"} no longer true`;
  return [["Documents", `${paint("yellow", what)}: \`ua-hooks docs\` lists them`]];
}

function hooksLine({ paused, warning, installed, places }: Hooks): string {
  if (paused !== null) return paint("yellow", `disabled since ${moment(paused)}: \`ua-hooks resume\` enables them`);
  if (warning !== null) return paint("yellow", warning);
  const where = places.map((place) => MANAGER_LABELS[place]).join(" and ");
  return installed.length === 0 ? "not installed" : `${installed.length} live, in ${where}`;
}

const COLOURS = {
  fresh: "green",
  pending: "yellow",
  dirty: "yellow",
  stale: "red",
  unknown: "red",
  uninitialized: "dim",
} as const;

function stateRow(status: WorktreeStatus["status"], reason: string): string[] {
  return ["Status", `${paint(COLOURS[status], status)}  ${printable(reason)}`];
}

function toLines(
  project: Project,
  s: WorktreeStatus,
  { hooks, worktrees, agents, sharing, brokenLines }: Around,
): string[] {
  const state = stateRow(s.status, s.reason);
  if (!isSetUp(project)) return facts([state, ["Before", LOOK_FIRST]]);
  const rows = [
    state,
    ...(s.lastKnown === null ? [] : [["Last known", lastKnownText(s.lastKnown)]]),
    ...reviewRows(s.review, s.verification?.marker ?? null),
    ...documentRows(brokenLines),
    ...commitRows(s),
    ["Hooks", hooksLine(hooks)],
    ...programRows(project, hooks),
  ];
  for (const [at, agent] of agents.entries()) rows.push([at === 0 ? "Agents" : "", agentLine(agent)]);
  if (sharing !== null) rows.push(["Sharing", sharingLine(sharing)]);
  if (s.analyzer !== null) {
    const command = printable(JSON.stringify(s.analyzer.command));
    rows.push([
      "Analyzer",
      s.analyzer.trusted ? command : `${command}, not trusted: run \`ua-hooks trust\` to allow it`,
    ]);
  }
  if (s.ignored !== null) {
    const keys = printable(JSON.stringify(s.ignored));
    rows.push(["Ignored", `${keys}: git does not wait until \`ua-hooks trust\` allows it in this clone`]);
  }
  if (s.unwritten.length > 0)
    rows.push(["Tracked", `${s.unwritten.join(", ")}: older than what is stored; ${TO_WRITE}`]);
  if (s.graphWorktree !== null) rows.push(["Graph", graphLine(s.graphWorktree)]);
  if (worktrees.length > 1)
    rows.push(["Worktrees", worktrees.map(({ id }) => (id === "." ? "main" : printable(id))).join(", ")]);
  if (project.worktree.linked) rows.unshift(["Worktree", printable(project.worktree.id)]);
  return [...facts(rows), ...markerLines(s.verification?.marker ?? null)];
}

const MOST_REVIEWED = 100;

function graphLine({ id, isGone }: NonNullable<WorktreeStatus["graphWorktree"]>): string {
  const of = `of the worktree ${printable(id)}`;
  return isGone ? `${of}, which is gone: the worktree that changes next takes over` : of;
}

const TO_WRITE = "`ua-hooks export` writes it, to be committed";
const LOOK_FIRST = "`ua-hooks replay` shows what it would have saved for the last 100 commits, and writes nothing";

function commitRows({ verification: found, verified, baseline, distance }: WorktreeStatus): string[][] {
  if (found === null) return [];
  const { commit, branch } = found.head;
  const head = commit === null ? "no commit yet" : short(commit);
  return [
    ["HEAD", `${head}${branch === undefined ? " (detached)" : ` ${printable(branch)}`}`],
    ["Verified", short(verified)],
    ["Baseline", `${short(baseline)}  ${distanceLabel(distance)}`.trimEnd()],
  ];
}

function distanceLabel({ relation, behind, ahead }: WorktreeStatus["distance"]): string {
  if (relation === "behind") return `${count(behind, "commit")} behind HEAD`;
  if (relation === "ahead") return `${count(ahead, "commit")} ahead of HEAD`;
  return relation === "diverged" ? `diverged from HEAD (${behind} behind, ${ahead} ahead)` : "";
}

function markerLines(marker: Marker | null): string[] {
  if (marker === null) return [];
  const files = [...marker.filesToReanalyze, ...marker.deletedFiles.map((file) => `${file} (deleted)`)];
  const shown = files.slice(0, 8).map((file) => `  ${printable(file)}`);
  const more = files.length > shown.length ? [`  … and ${files.length - shown.length} more`] : [];
  const cost = `${actionLabel(marker.action)}, about ${count(marker.estimatedTokens, "token")}:`;
  return [
    "",
    cost,
    ...shown,
    ...more,
    ...attemptLines(marker),
    paint("dim", "`ua-hooks pending` shows what changed in them."),
  ];
}

/** Which agents are notified, and if not, why: by the client's own files, and by when it last ran our hook. */
function agentLine(agent: AgentState): string {
  const { client, state, speaks: sender, trusted, lastCall } = agent;
  const file = printable(agent.file);
  if (state === "damaged") return `${client}: ${file} cannot be read as JSON`;
  if (state === "rejected") return `${client}: ${file} has comments, which ${client} does not read; remove them`;
  if (state !== "installed") return `${client}: our part of ${file} is ${state}; run \`ua-hooks install\` to repair it`;
  const called = lastCall === null ? "it has not run our hook yet" : `it last ran our hook at ${moment(lastCall)}`;
  if (trusted === false) return `${client}: awaiting trust, ${called}; ${trustAdvice(client)}`;
  const other =
    sender === "ua-hooks"
      ? ""
      : "; here Understand-Anything's own hook reports at the start of a session and after a commit";
  const sandbox = agent.needsMcp ? "; its sandbox cannot write .git: add `ua-hooks mcp` as an MCP server" : "";
  return `${client} is notified of pending updates (${file}); ${called}${other}${sandbox}`;
}
