/**
 * The public API. Names and shapes are those of the systems that ua-hooks replaces, so that they can switch; where one
 * of theirs hides an error, ours throws a typed one.
 */
export { UaError } from "./errors.js";
export { compareFingerprints } from "./fingerprint/compare.js";
export { contentHash } from "./fingerprint/content.js";
export { fingerprintText } from "./fingerprint/extract.js";
export type { PlainFingerprint as FileFingerprint } from "./fingerprint/plain.js";
export type { ChangeLevel, Drift, FileChange, FileFingerprint as OwnFingerprint } from "./fingerprint/types.js";
export { GitError } from "./git/run.js";
export { mergeGraphUpdate } from "./graph/merge.js";
export type { GraphEdge, GraphNode, KnowledgeGraph, Layer, TourStep } from "./graph/types.js";
export type { Marker } from "./marker/marker.js";
export { locateProject, type Project, type Worktree } from "./repository/locate.js";
export { createIgnoreFilter, DEFAULT_IGNORE_PATTERNS, type IgnoreFilter } from "./repository/rules.js";
export {
  type GraphFreshnessInput,
  type GraphFreshnessRelation,
  type GraphFreshnessResult,
  type GraphFreshnessUnknownReason,
  getGraphFreshness,
  getGraphFreshnessBatch,
} from "./verification/commit-freshness.js";
export {
  type Analyzer,
  analyzeChanges,
  buildFingerprintStore,
  type ChangeAnalysis,
  classifyUpdate,
  extractFileFingerprint,
  type FileChangeResult,
  type FingerprintStore,
  type StructuralAnalysis,
  type UpdateDecision,
} from "./verification/compat.js";
export {
  type GraphFreshness,
  getChangedFiles,
  isStale,
  readGraphFreshness,
  type StalenessResult,
} from "./verification/graph-freshness.js";
