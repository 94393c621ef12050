import type { Drift, FileChange } from "../fingerprint/types.js";
import type { Action } from "../verification/decide.js";
import { paint, printable, table } from "./output.js";

/** Green needs no tokens, yellow an analysis, red a full one. */
const ACTIONS = { SKIP: "green", PARTIAL_UPDATE: "yellow", ARCHITECTURE_UPDATE: "yellow", FULL_UPDATE: "red" } as const;

export function actionLabel(action: Action): string {
  return paint(ACTIONS[action], action);
}

/** Green if the description still applies, yellow for an interface change, cyan for new, red for deleted. */
const DRIFTS: Record<Drift, Parameters<typeof paint>[0]> = {
  ...{ none: "green", cosmetic: "green", body: "green" },
  ...{ interface: "yellow", new: "cyan", gone: "red" },
};

export function driftLabel(drift: Drift): string {
  return paint(DRIFTS[drift], drift);
}

/** One line per file: name, drift, and details. */
export function changeLines(changes: readonly Pick<FileChange, "filePath" | "drift" | "details">[]): string[] {
  return table(
    changes.map(({ filePath, drift, details }) => [
      `  ${printable(filePath)}`,
      driftLabel(drift),
      printable(details.join(", ")),
    ]),
  );
}
