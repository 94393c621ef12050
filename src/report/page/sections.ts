import type { HistoryPart, Report, Spread } from "../types.js";
import { bars } from "./bars.js";
import { button, byId, type Child, empty, h, table } from "./dom.js";
import { action, count, milliseconds, number, oid, short, shown } from "./labels.js";
import type { Store } from "./state.js";
import type { Tree } from "./tree.js";

/** Tokens not spent: bars, sum, and how the number is calculated. */
export function drawTokens({ history }: Report): void {
  const host = byId("tokens");
  if (history === null || history.commits === 0) {
    host.replaceChildren(empty("No estimate.", "There is no history, or --last 0 left it out."));
    return;
  }
  const rows = [...history.each]
    .reverse()
    .map(({ commit, subject, action: name, changed, structural }) => [
      h("code", {}, oid(commit)),
      shown(subject),
      action(name),
      number(changed),
      number(structural),
    ]);
  const head: [string, string?][] = [
    ["Commit"],
    ["Subject"],
    ["Decision"],
    ["Changed", "number"],
    ["To analyse", "number"],
  ];
  host.replaceChildren(
    commitBars(history),
    h(
      "p",
      { class: "quiet small key" },
      h("span", {}, h("i", { class: "swatch spared" }), "changed, needs no analysis"),
      h("span", {}, h("i", { class: "swatch needed" }), "needs an analysis"),
    ),
    made(history),
    h(
      "details",
      {},
      h("summary", {}, "The commits one by one"),
      table("Commits and the analysis they need", head, rows),
    ),
  );
}

function made(history: HistoryPart): HTMLElement {
  const { changedFiles, structuralFiles, tokensNotSpent, tokensNeeded, commits } = history;
  return h(
    "p",
    {},
    `The last ${count(commits, "commit")} changed ${count(changedFiles, "source file")}, one commit at a time; ` +
      `${number(structuralFiles)} of these changes need an analysis. A model that gets what changed in them reads about ` +
      `${short(tokensNeeded)} tokens; one that gets every changed file reads ${short(tokensNotSpent)} more. ` +
      "Measured on the texts, at four characters a token. ",
    h("code", {}, `ua-hooks replay --last ${commits}`),
    " prints the same numbers.",
  );
}

/** Files that need an analysis at the bottom, the others above. */
function commitBars({ each }: HistoryPart): Element {
  const label = `Changed files of the last ${count(each.length, "commit")}, oldest first; the table below has the numbers`;
  const list = each.map(({ changed, structural, subject }) => ({
    ...{ whole: changed, part: structural },
    title: `${shown(subject)}: ${number(structural)} of ${count(changed, "changed file")} to analyse`,
  }));
  return bars(list, label);
}

/** How often there was something to describe, and how much is described. */
export function drawWeeks({ weeks }: Report): void {
  const host = byId("weeks");
  if (weeks.length === 0) {
    host.replaceChildren(empty("No run yet.", "Each week with a decision becomes a bar here."));
    return;
  }
  const list = weeks.map(({ from, runs, free }) => ({
    ...{ whole: runs, part: runs - free },
    title: `Week of ${shown(from)}: ${number(runs - free)} of ${count(runs, "decision")} found something to describe`,
  }));
  const rows = [...weeks]
    .reverse()
    .map(({ from, runs, free, described }): Child[] => [
      shown(from),
      number(runs),
      runs === 0 ? "–" : `${Math.round((100 * free) / runs)} %`,
      number(described),
    ]);
  const head: [string, string?][] = [
    ["Week of"],
    ["Decisions", "number"],
    ["Nothing to describe", "number"],
    ["Described", "number"],
  ];
  host.replaceChildren(
    bars(list, `Decisions of ${count(weeks.length, "week")}, oldest first; the table below has the numbers`),
    h(
      "p",
      { class: "quiet small key" },
      h("span", {}, h("i", { class: "swatch spared" }), "nothing to describe"),
      h("span", {}, h("i", { class: "swatch needed" }), "something to describe"),
    ),
    h("details", {}, h("summary", {}, "Week by week"), table("Decisions and descriptions by week", head, rows)),
  );
}

/** Our times, git's, and what is not measured. */
export function drawTimes({ times }: Report): void {
  const waits = times.execution === "foreground";
  const rows: Child[][] = [];
  const add = (name: string, spread: Spread | null) => {
    if (spread === null) return;
    const { runs, median, p90, max } = spread;
    rows.push([name, number(runs), milliseconds(median), milliseconds(p90), milliseconds(max)]);
  };
  add("All runs", times.all);
  if (times.known !== null && times.parsed !== null) {
    add("all content already parsed", times.known);
    add("some content parsed", times.parsed);
  }
  if (times.gitStatusMs !== null)
    rows.push(["For comparison: git status, just now", "1", milliseconds(times.gitStatusMs), "", ""]);
  const head: [string, string?][] = [
    ["What"],
    ["Runs", "number"],
    ["Median", "number"],
    ["9 of 10", "number"],
    ["Longest", "number"],
  ];
  byId("times").replaceChildren(
    rows.length === 0
      ? empty("No run yet.", "Times come with the first one.")
      : table("How long runs took", head, rows),
    h(
      "p",
      { class: "quiet" },
      waits
        ? "With this config git waits for a run before it returns (foreground)."
        : "With this config git waits for a shell script only; the run starts after git has returned (detached).",
      " The time of a run is all of its work, under the lock. Not measured here: git's own time for the commit, and the time that the shell script adds; " +
        "a hook cannot measure git. The project's benchmarks measure both against git without hooks.",
    ),
  );
}

export function drawRecords({ records }: Report, store: Store, tree: Tree): void {
  const { counts, stale } = records;
  const host = byId("records");
  if (counts.active + counts.stale + counts.historical === 0) {
    host.replaceChildren(empty("No records yet.", "Statements about code are listed here when their code drifts."));
    return;
  }
  const sum = h(
    "p",
    {},
    `${number(counts.active)} are active, ${number(counts.stale)} are stale, ${number(counts.historical)} are historical.`,
  );
  const rows = stale.map(({ id, statement, reason, grade, paths }): Child[] => [
    h("code", {}, shown(id)),
    shown(statement),
    [reason, grade]
      .filter((word) => word !== null)
      .map((word) => shown(word).replaceAll("_", " "))
      .join(", "),
    h("span", {}, ...paths.map((path) => subject(path, store, tree))),
  ]);
  const none = empty("None is stale.", "Every verified record matches the code, or its subject is gone.");
  host.replaceChildren(
    sum,
    rows.length === 0 ? none : table("Stale records", [["Id"], ["Says"], ["Stale by"], ["About"]], rows),
  );
}

function subject(path: string, store: Store, tree: Tree): HTMLElement {
  const leaf = tree.leaves.find((one) => one.path === path);
  if (leaf === undefined) return h("span", {}, shown(path));
  return button(shown(path), { class: "link" }, () => {
    store.set({ selected: leaf });
    byId("detail").scrollIntoView({ block: "nearest" });
  });
}

export function drawWorktrees({ worktrees }: Report): void {
  const rows = worktrees.map((one): Child[] => [
    h(
      "span",
      {},
      one.id === "." ? "main" : shown(one.id),
      one.current ? h("span", { class: "quiet" }, " (this report)") : "",
    ),
    h("span", { class: "branch" }, one.branch === null ? "detached" : shown(one.branch)),
    h("code", {}, oid(one.head)),
    h(
      "span",
      {},
      h("span", { class: `state ${one.status}` }, one.status),
      h("br"),
      h("span", { class: "quiet small" }, shown(one.reason)),
    ),
    number(one.pendingFiles),
    number(one.dirtyFiles),
  ]);
  const head: [string, string?][] = [
    ["Worktree"],
    ["Branch"],
    ["HEAD"],
    ["State"],
    ["Pending", "number"],
    ["Uncommitted", "number"],
  ];
  byId("worktrees").replaceChildren(table("Worktrees of this clone", head, rows));
}
