import type { SymbolDrift } from "../fingerprint/symbols.js";
import type { Drift, FileChange } from "../fingerprint/types.js";
import type { Action } from "../verification/decide.js";
import { count, paint, printable, table } from "./output.js";

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

export function driftLabel(drift: Drift | SymbolDrift): string {
  return paint(DRIFTS[drift], drift);
}

/** One line per file: name, drift, and details. */
export function changeLines(changes: readonly ChangeLine[]): string[] {
  return table(
    changes.map(({ filePath, drift, details, symbols }) => [
      `  ${printable(filePath)}`,
      driftLabel(drift),
      [
        printable(details.join(", ")),
        ...(symbols?.length ? [`${count(symbols.length, "symbol")} to describe`] : []),
      ].join("; "),
    ]),
  );
}

type ChangeLine = Pick<FileChange, "filePath" | "drift" | "details"> & { symbols?: readonly unknown[] };
