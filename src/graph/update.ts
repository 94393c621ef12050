import type { Drift } from "../fingerprint/types.js";
import type { GraphEdge, GraphNode, Layer, TourStep } from "./types.js";

/** A layer without its members: enough to make it again. */
export interface LayerShell {
  id: string;
  name: string;
  description: string;
  [other: string]: unknown;
}

export interface EdgeEnds {
  source: string;
  target: string;
  type: string;
}

/** What became of some files: what an analyzer found, or an agent delivered, or a known analysis had. */
export interface GraphUpdate {
  /** The files that nodes and edges speak for. One that has no node here was looked at and stays as it is. */
  files: readonly string[];
  deleted: readonly string[];
  renamed: readonly { from: string; to: string }[];
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** The whole architecture or tour, where it was made anew. */
  layers?: readonly Layer[];
  tour?: readonly TourStep[];
  commit: string;
  at: string;
  /** How far each file was from its baseline; prose that outlives an `interface` drift is marked for review. */
  drift?: ReadonlyMap<string, Drift>;
  /** From the structural analyzer: it knows facts, and prose that others wrote stays. */
  structural?: boolean;
  /** Absolute paths below this directory are made relative. */
  root?: string;
  /** Where a file that comes back had its place. */
  layerOf?: ReadonlyMap<string, LayerShell>;
  /** Edges of files outside `files` that no longer hold, because a name now leads elsewhere (see `relink`). */
  unlinked?: readonly EdgeEnds[];
}
