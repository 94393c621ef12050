import { leaseText } from "../agents/notification.js";
import type { SymbolDrift } from "../fingerprint/symbols.js";
import type { Drift } from "../fingerprint/types.js";
import type { Marker } from "../marker/marker.js";
import type { MarkerChange } from "../marker/symbols.js";
import type { Action } from "../verification/decide.js";
import type { LastKnown } from "../verification/soon.js";
import { count, moment, paint, printable, short, tableRows } from "./output.js";

/** Green needs no tokens, yellow an analysis, red a full one. */
const ACTIONS = { SKIP: "green", PARTIAL_UPDATE: "yellow", ARCHITECTURE_UPDATE: "yellow", FULL_UPDATE: "red" } as const;

export function actionLabel(action: Action): string {
  return paint(ACTIONS[action], action);
}

/** Green if the description still applies, yellow if it may be false, cyan for new, red for deleted. */
const DRIFTS: Record<Drift | SymbolDrift, Parameters<typeof paint>[0]> = {
  ...{ none: "green", cosmetic: "green", body: "green", moved: "green", renamed: "green" },
  ...{ behaviour: "yellow", interface: "yellow", new: "cyan", gone: "red" },
};

export const isDriftName = (name: unknown): name is Drift | SymbolDrift =>
  typeof name === "string" && Object.hasOwn(DRIFTS, name);

export function driftLabel(drift: Drift | SymbolDrift): string {
  return paint(DRIFTS[drift], drift);
}

/** What stood before the verification that is running. */
export function lastKnownText({ status, verifiedSha, verifiedAt, files }: LastKnown): string {
  const what = status === "pending" ? `pending, ${count(files.length, "file")}` : status;
  if (verifiedSha === null || verifiedAt === null) return what;
  return `${what}; verified at ${short(verifiedSha)}, ${moment(verifiedAt)}`;
}

/** Who works on an update, or that agents are no longer notified of it, and what to do then. */
export function attemptLines({ lease, state, attempts, lastError }: Marker): string[] {
  if (lease !== null) return [printable(leaseText(lease))];
  if (state !== "failed") return [];
  return [
    paint(
      "red",
      `It failed ${count(attempts, "time")}, so agents are not notified of it: ${printable(lastError ?? "")}`,
    ),
    "To try again: `ua-hooks claim`. To keep the descriptions as they are: `ua-hooks ack`.",
  ];
}

/** How to have a pending update described that has no lease yet. */
export function nextLines({ action, lease, state }: Marker): string[] {
  if (lease !== null || state === "failed") return [];
  if (action === "FULL_UPDATE")
    return ["", "Without a model: `ua-hooks run --full`. With an agent: `ua-hooks claim --full`."];
  return ["", "To describe them: `ua-hooks claim`. To keep the descriptions as they are: `ua-hooks ack`."];
}

/** One line per file: name, drift, and details; below it, what is to be described in it. */
export function changeLines(changes: readonly MarkerChange[]): string[] {
  const files = tableRows(
    changes.map(({ filePath, drift, details, aging = 0, symbols = [] }) => [
      `  ${printable(filePath)}`,
      driftLabel(drift),
      [
        printable(details.join(", ")),
        ...(aging > 0
          ? [`${count(aging, symbols.length > 0 ? "other symbol" : "symbol")} changed inside, not asked about`]
          : []),
      ]
        .filter((part) => part !== "")
        .join("; "),
    ]),
  );
  return changes.flatMap(({ filePath, symbols = [], moreSymbols = 0 }, at) => [
    ...(files[at] ?? []),
    ...symbolLines(symbols, symbols.length + moreSymbols, { most: MOST_SYMBOLS, path: filePath }),
  ]);
}

/** Of a file; `pending --json` has more. */
const MOST_SYMBOLS = 5;

/** One line per symbol; from `most` on they are counted. `path`: the file that is named already. */
export function symbolLines(
  symbols: readonly { id: string; change: Drift | SymbolDrift }[],
  total: number,
  { most, path }: { most: number; path?: string },
): string[] {
  const shown = symbols.slice(0, most).map(({ id, change }) => `    ${driftLabel(change)} ${symbolName(id, path)}`);
  return total > shown.length && symbols.length > 0 ? [...shown, `    … and ${total - shown.length} more`] : shown;
}

/** `function:src/a.ts:f` below its file is `function f`. */
export function symbolName(id: string, path: string | undefined): string {
  if (path !== undefined && id === `file:${path}`) return "the file itself";
  const at = path === undefined ? -1 : id.indexOf(`:${path}:`);
  return printable(at < 0 ? id : `${id.slice(0, at)} ${id.slice(at + (path?.length ?? 0) + 2)}`);
}

const TO_ASK = '"refresh": "behaviour" in .ua-hooksrc.json asks an agent';

/** For `status`: descriptions that may be false, by their ids. `marker`: what an agent is asked about anyway. */
export function reviewRows(review: readonly string[], marker: Marker | null): string[][] {
  if (review.length === 0) return [];
  const shown = review.slice(0, 3).map(printable).join(", ");
  const more = review.length > 3 ? ", …" : "";
  const asked = new Set((marker?.fileChanges ?? []).flatMap(({ symbols = [] }) => symbols.map(({ id }) => id)));
  const next = review.every((id) => asked.has(id)) ? "to be described" : TO_ASK;
  return [
    [
      "Review",
      `${count(review.length, "description")} may be false, because behaviour changed: ${shown}${more}; ${next}`,
    ],
  ];
}
