import type { Report } from "../types.js";
import { byId, type Child, h } from "./dom.js";
import { action, clock, count, day, number, oid, short, shown } from "./labels.js";

/** The first screen: the project, its state, and four numbers. */
export function drawOverview(report: Report): void {
  const { project, generatedAt } = report;
  document.title = `${shown(project.name)}: ${report.status}`;
  byId("name").textContent = shown(project.name);
  const { commit, branch } = project.head;
  const where = commit === null ? "no commit yet" : branch === undefined ? "detached HEAD" : shown(branch);
  byId("where").replaceChildren(
    ...[
      where,
      commit === null ? null : h("code", { title: commit }, oid(commit)),
      project.worktree === "." ? null : `worktree ${shown(project.worktree)}`,
      h("time", { datetime: generatedAt }, `${day(generatedAt)} ${clock(generatedAt)}`),
    ]
      .filter((part) => part !== null)
      .map((part) => h("span", {}, part)),
  );
  byId("tiles").replaceChildren(...[stateTile(report), pendingTile(report), shareTile(report), tokensTile(report)]);
  byId("uncovered").textContent =
    report.uncovered === 0
      ? ""
      : `${count(report.uncovered, "more file")} of this commit are not shown: ignored, or in an unknown language.`;
}

function tile(name: string, value: Child, text: Child, kind = ""): HTMLElement {
  return h(
    "div",
    { class: `tile ${kind}`.trim() },
    h("h2", {}, name),
    h("p", { class: "value" }, value),
    h("p", { class: "quiet" }, text),
  );
}

function stateTile({ status, reason, hooks }: Report): HTMLElement {
  const warning = hooks.warning ?? (hooks.installed === 0 ? "no hooks are installed" : null);
  const text = warning === null ? shown(reason) : `${shown(reason)}; ${shown(warning)}`;
  return tile("State", h("span", { class: `state ${status}` }, status), text);
}

function pendingTile({ pending, status }: Report): HTMLElement {
  if (pending === null) {
    const isCompared = status === "fresh" || status === "dirty";
    return tile("Pending", isCompared ? "0" : "–", isCompared ? "nothing for an agent to do" : "nothing was compared");
  }
  const files = pending.filesToReanalyze + pending.deletedFiles;
  const life = pending.state === "pending" ? "" : `, ${shown(pending.state)}`;
  const tokens = `about ${short(pending.estimatedTokens)} tokens to update`;
  return tile("Pending", number(files), `${action(pending.action)}${life}: ${tokens}`);
}

function shareTile({ history }: Report): HTMLElement {
  if (history === null || history.commits === 0) return tile("Zero-token commits", "–", "history was not analysed");
  return tile(
    "Zero-token commits",
    h("span", {}, number(history.zeroTokenShare), h("small", {}, " %")),
    `of ${count(history.sourceCommits, "commit")} that change source files left nothing to analyse`,
  );
}

function tokensTile({ history }: Report): HTMLElement {
  if (history === null || history.commits === 0) return tile("Tokens not spent", "–", "history was not analysed");
  const { changedFiles, structuralFiles } = history;
  const spared = number(changedFiles - structuralFiles);
  return tile(
    "Tokens not spent",
    short(history.tokensNotSpent),
    `estimate: ${spared} of ${count(changedFiles, "changed file")} needed no analysis`,
  );
}
