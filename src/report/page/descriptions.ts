import type { Report } from "../types.js";
import { byId, type Child, empty, h, table } from "./dom.js";
import { count, day, number, SOURCES, short, shown } from "./labels.js";

/** Who described the code, since when, which descriptions may be false, and what sharing saved. */
export function drawDescriptions({ descriptions }: Report): void {
  const { bySource, byMonth, review, tokensSavedBySharing, filesPutBack } = descriptions;
  const host = byId("descriptions");
  if (bySource.length === 0) {
    host.replaceChildren(
      empty("No agent has described this code yet.", "The graph shows the authors' comments and generated sentences."),
    );
    return;
  }
  const rows = bySource.map(({ source, count: size, newest }): Child[] => [
    SOURCES[source] ?? shown(source),
    number(size),
    day(newest),
  ]);
  const months = byMonth.map(({ month, count: size }): Child[] => [shown(month), number(size)]);
  host.replaceChildren(
    h(
      "p",
      {},
      review === 0
        ? "None of them is about code that changed its behaviour since."
        : `${count(review, "description")} may be false: the behaviour of the code changed since.`,
    ),
    h(
      "p",
      {},
      tokensSavedBySharing === 0 ? "" : `Sharing saved ${short(tokensSavedBySharing)} tokens. `,
      filesPutBack === 0
        ? "No file came back yet to content that was analysed before."
        : `${count(filesPutBack, "time")} a file came back to content that was analysed before: what was known of it was put back, and no model was asked.`,
    ),
    table("Descriptions by source", [["Source"], ["Descriptions", "number"], ["Newest", "number"]], rows),
    h(
      "details",
      {},
      h("summary", {}, "By month"),
      table("Descriptions by month", [["Month"], ["Descriptions", "number"]], months),
    ),
  );
}
