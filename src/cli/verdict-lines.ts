import type { Drift, FileChange } from "../fingerprint/types.js";
import type { Action } from "../verification/decide.js";
import { paint, printable, table } from "./output.js";

/** Green costs nothing, yellow costs an analysis, red costs all of it. */
const ACTIONS = { SKIP: "green", PARTIAL_UPDATE: "yellow", ARCHITECTURE_UPDATE: "yellow", FULL_UPDATE: "red" } as const;

export function actionLabel(action: Action): string {
  return paint(ACTIONS[action], action);
}

/** What stays true is green; what others can see of a file is yellow, what came or went cyan and red. */
const DRIFTS: Record<Drift, Parameters<typeof paint>[0]> = {
  ...{ none: "green", cosmetic: "green", body: "green" },
  ...{ interface: "yellow", new: "cyan", gone: "red" },
};

export function driftLabel(drift: Drift): string {
  return paint(DRIFTS[drift], drift);
}

/** A file a line: its name, how far it moved, and in what. */
export function changeLines(changes: readonly Pick<FileChange, "filePath" | "drift" | "details">[]): string[] {
  return table(
    changes.map(({ filePath, drift, details }) => [
      `  ${printable(filePath)}`,
      driftLabel(drift),
      printable(details.join(", ")),
    ]),
  );
}
