import { DRIFTS, type Drift } from "../fingerprint/types.js";
import type { GraphEdge, GraphNode, Layer, TourStep } from "../graph/types.js";
import { isObject, isText, listOf, objectOf, oneOf, pairOf } from "../store/check.js";
import { readSetting, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import type { Restore } from "../verification/verdicts.js";
import { ABSENT } from "./known.js";
import type { Configs } from "./links.js";

/**
 * A change of the graph: it only names contents, whose analyses are stored or computed from the code. So it can be
 * repeated from the start after a kill.
 */
export interface GraphPlan {
  commit: string;
  /** Stored analyses to put into the graph; ABSENT removes the file. */
  restores: Restore[];
  /** Contents for the structural analyzer; existing descriptions stay. */
  structural: Restore[];
  moves: { from: string; to: string }[];
  /** Contents of HEAD that stay pending: a symbol that moved away from there is gone, all the same. */
  pending?: Restore[];
  drift?: [path: string, drift: Drift][];
  configs?: Configs;
  /** Manifests and READMEs, if the texts that were made from them are to be renewed. */
  textFiles?: [path: string, oid: string][];
  /** New layers, if an agent delivered them. */
  layers?: Layer[];
  tour?: TourStep[];
  /** Nodes without a file. */
  loose?: { nodes: GraphNode[]; edges: GraphEdge[] };
  /** The files lack something that is stored. */
  render?: boolean;
  /** Hashes of the files that are being written, to recognise our own unfinished work. */
  wrote?: { graph?: string; fingerprints?: string };
}

export function isEmptyPlan(plan: GraphPlan): boolean {
  const { restores, structural, moves, configs, textFiles, layers, tour, render } = plan;
  const hasOther = [configs, textFiles, layers, tour, render].some((part) => part !== undefined);
  return restores.length + structural.length + moves.length === 0 && !hasOther;
}

const isRestore = objectOf<Restore>({ path: isText, oid: isText });
const isAny = <T extends object>(value: unknown): value is T => isObject(value);

const PLAN: Setting<GraphPlan> = {
  ...{ key: "update:", version: 1, invalid: "damaged" },
  check: objectOf<GraphPlan>(
    {
      ...{ commit: isText, restores: listOf(isRestore), structural: listOf(isRestore) },
      moves: listOf(objectOf<{ from: string; to: string }>({ from: isText, to: isText })),
    },
    {
      drift: listOf(pairOf(isText, oneOf<Drift>(...DRIFTS))),
      ...{ configs: listOf(pairOf(isText, isText)), textFiles: listOf(pairOf(isText, isText)) },
      pending: listOf(isRestore),
      render: (value): value is boolean => value === true,
      // Checked when they were delivered (graph/result.ts).
      ...{ layers: listOf(isAny<Layer>), tour: listOf(isAny<TourStep>) },
      loose: objectOf<NonNullable<GraphPlan["loose"]>>({
        nodes: listOf(isAny<GraphNode>),
        edges: listOf(isAny<GraphEdge>),
      }),
      wrote: objectOf<NonNullable<GraphPlan["wrote"]>>({}, { graph: isText, fingerprints: isText }),
    },
  ),
};

/** Saved before the first artefact is written, removed with the last: a plan that exists is not finished. */
export function savePlan(db: Db, scope: string, plan: GraphPlan | null): void {
  writeSetting(db, PLAN, plan, scope);
}

export function unfinishedPlan(db: Db, scope: string): GraphPlan | null {
  return readSetting(db, PLAN, scope);
}

/** The content that each path of a plan will have; null for none. */
export function targetsOf({ restores, structural, moves }: GraphPlan): Map<string, string | null> {
  const targets = new Map<string, string | null>(moves.map(({ from }) => [from, null]));
  for (const { path, oid } of [...restores, ...structural]) targets.set(path, oid === ABSENT ? null : oid);
  return targets;
}
