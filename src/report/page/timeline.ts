import type { LoggedRun, Report } from "../types.js";
import { button, byId, empty, h } from "./dom.js";
import { action, clock, count, day, milliseconds, number, oid, shown, weightOf } from "./labels.js";

const PAGE = 25;

/** The decisions, their times and their causes. */
export function drawTimeline({ runs }: Report): void {
  const host = byId("timeline");
  let room = PAGE;
  const draw = () => {
    if (runs.length === 0) {
      host.replaceChildren(empty("No run yet.", "The next commit, merge or checkout writes the first line here."));
      return;
    }
    const more = button(`Show earlier ones (${number(runs.length - room)})`, { class: "more" }, () => {
      room += PAGE * 4;
      draw();
    });
    host.replaceChildren(...days(runs.slice(0, room)), ...(runs.length > room ? [more] : []));
  };
  draw();
}

function days(runs: readonly LoggedRun[]): HTMLElement[] {
  const groups = new Map<string, LoggedRun[]>();
  for (const run of runs) groups.set(day(run.at), [...(groups.get(day(run.at)) ?? []), run]);
  return [...groups].map(([name, some]) =>
    h("section", { class: "day" }, h("h3", {}, name), h("ol", {}, ...some.map(entry))),
  );
}

function entry(run: LoggedRun): HTMLElement {
  const trigger = run.events.length === 0 ? "a read" : run.events.map(shown).join(", ");
  const decision = run.action === null ? shown(run.outcome) : action(run.action);
  return h(
    "li",
    { class: weightOf(run.action) },
    h("time", { datetime: run.at }, clock(run.at)),
    h(
      "div",
      {},
      h("p", {}, h("strong", {}, decision), h("span", { class: "quiet" }, ` — ${shown(run.reason)}`)),
      h(
        "p",
        { class: "quiet small" },
        h("span", {}, trigger),
        h("span", {}, h("code", {}, oid(run.head)), run.subject === null ? "" : ` ${shown(run.subject)}`),
        run.view === "." ? null : h("span", {}, `worktree ${shown(run.view)}`),
      ),
    ),
    h("p", { class: "quiet small number" }, milliseconds(run.ms), h("br"), parses(run)),
  );
}

function parses({ parses: n }: LoggedRun): string {
  return n === 0 ? "nothing parsed" : `${count(n, "parse")}`;
}
