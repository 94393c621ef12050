import type { Tool } from "../tool.js";
import { ackUpdateTool } from "./ack-update.js";
import { applyUpdate } from "./apply-update.js";
import { claimUpdateTool } from "./claim-update.js";
import { fileRegistryUpdateSummaries } from "./file-registry-update-summaries.js";
import { fileRegistryVerify } from "./file-registry-verify.js";
import { getBrokenLines } from "./get-broken-lines.js";
import { getFreshness } from "./get-freshness.js";
import { getNode } from "./get-node.js";
import { getPendingUpdate } from "./get-pending-update.js";
import { getRelevantMemory } from "./get-relevant-memory.js";
import { queryMemory } from "./query-memory.js";
import { recordCandidate } from "./record-candidate.js";
import { whyStale } from "./why-stale.js";

/** In the order in which an agent needs them. */
export const TOOLS: readonly Tool[] = [
  getFreshness,
  getPendingUpdate,
  claimUpdateTool,
  applyUpdate,
  ackUpdateTool,
  whyStale,
  getNode,
  getBrokenLines,
  fileRegistryVerify,
  fileRegistryUpdateSummaries,
  getRelevantMemory,
  recordCandidate,
  queryMemory,
];
