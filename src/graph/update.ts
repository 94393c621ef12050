import type { Drift } from "../fingerprint/types.js";
import type { GraphEdge, GraphNode, Layer, TourStep } from "./types.js";

/** A layer without its members: enough to create it again. */
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

/** A change of some files in the graph: from an analyzer, from an agent, or from a stored analysis. */
export interface GraphUpdate {
  /** The files that nodes and edges are about. A file without a node here was analysed and stays as it is. */
  files: readonly string[];
  deleted: readonly string[];
  renamed: readonly { from: string; to: string }[];
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** The new layers or tour, if there are any. */
  layers?: readonly Layer[];
  tour?: readonly TourStep[];
  commit: string;
  at: string;
  /** The drift of each file; a description that is kept across an `interface` drift is marked for review. */
  drift?: ReadonlyMap<string, Drift>;
  /** From the structural analyzer: descriptions written by others stay. */
  structural?: boolean;
  /** Absolute paths below this directory are made relative. */
  root?: string;
  /** The layer that a restored file was in. */
  layerOf?: ReadonlyMap<string, LayerShell>;
  /** Edges of files outside `files` that are no longer valid, because a name resolves differently (see `relink`). */
  unlinked?: readonly EdgeEnds[];
}
