import { readGraph } from "../../src/graph/read-graph.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";

/** A graph as a whole, where the reader in parts takes it; throws its GraphError where it does not. */
export function parseGraph(given: string | Buffer): KnowledgeGraph {
  const bytes = Buffer.from(given);
  const { layers, tour } = readGraph(() => [bytes], { node: () => {}, edge: () => {} });
  return { ...(JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, "")) as KnowledgeGraph), layers, tour };
}
