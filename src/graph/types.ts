/** The parts of Understand-Anything's knowledge graph that we read. Unknown fields and types are kept. */

export type Complexity = "simple" | "moderate" | "complex";

export interface GraphNode {
  id: string;
  type: string;
  name: string;
  filePath?: string;
  lineRange?: [number, number];
  summary: string;
  /** The first sentence of the authors' doc comment, where the summary is that and not someone's own text. */
  docComment?: string;
  tags: string[];
  complexity: Complexity;
  [other: string]: unknown;
}

export interface GraphEdge {
  source: string;
  target: string;
  type: string;
  direction: "forward" | "backward" | "bidirectional";
  description?: string;
  weight: number;
  [other: string]: unknown;
}

export interface Layer {
  id: string;
  name: string;
  description: string;
  nodeIds: string[];
  [other: string]: unknown;
}

export interface TourStep {
  order: number;
  title: string;
  description: string;
  nodeIds: string[];
  [other: string]: unknown;
}

/** All of a graph but its nodes and edges. */
export interface GraphHead {
  version: string;
  kind?: string;
  project: {
    name: string;
    languages: string[];
    frameworks: string[];
    description: string;
    analyzedAt: string;
    gitCommitHash: string;
    [other: string]: unknown;
  };
  layers: Layer[];
  tour: TourStep[];
  [other: string]: unknown;
}

export interface KnowledgeGraph extends GraphHead {
  nodes: GraphNode[];
  edges: GraphEdge[];
}
