import { isTestPath } from "../fingerprint/paths.js";
import type { ClassFingerprint, Drift, FileFingerprint, FunctionFingerprint } from "../fingerprint/types.js";
import { languageOf } from "./language.js";
import type { Complexity, GraphNode } from "./types.js";

/**
 * The descriptions that the structural analyzer writes: the first sentence of a doc comment, or, without one, plain facts
 * in a fixed form. `isOwnSummary` recognises both: they may be replaced, all others are kept.
 */

const count = (n: number, noun: string, plural = `${noun}s`) => `${n} ${n === 1 ? noun : plural}`;

export function fileSummary(path: string, fp: FileFingerprint, functions: number, classes: number): string {
  const kind = `${languageOf(path)?.label ?? "Source"} ${isTestPath(path) ? "test file" : "file"}`;
  if (!fp.hasStructuralAnalysis) return `${kind} of ${count(fp.totalLines, "line")}`;
  const parts = [
    ...(functions > 0 ? [count(functions, "function")] : []),
    ...(classes > 0 ? [count(classes, "class", "classes")] : []),
  ];
  return parts.length === 0 ? `${kind} of ${count(fp.totalLines, "line")}` : `${kind} with ${parts.join(" and ")}`;
}

export function functionSummary(
  fn: FunctionFingerprint,
  { owner, exported }: { owner: string | undefined; exported: boolean },
): string {
  const kind = owner === undefined ? "Function" : `Method of ${owner}`;
  return `${exported && owner === undefined ? "Exported function" : kind} with ${count(fn.params.length, "parameter")}`;
}

export function classSummary(cls: ClassFingerprint, { exported }: { exported: boolean }): string {
  const kind = exported ? `Exported ${cls.kind}` : `${cls.kind.charAt(0).toUpperCase()}${cls.kind.slice(1)}`;
  const parts = [count(cls.methods.length, "method"), count(cls.properties.length, "property", "properties")];
  return `${kind} with ${parts.join(" and ")}`;
}

const ours = new RegExp(
  [
    String.raw`^\S+ (?:test )?file (?:of \d+ lines?|with \d+ (?:functions?(?: and \d+ class(?:es)?)?|class(?:es)?))$`,
    String.raw`^(?:Function|Exported function|Method of .+) with \d+ parameters?$`,
    String.raw`^(?:Exported )?(?:class|interface|enum|struct|trait|type|module) with \d+ methods? and \d+ propert(?:y|ies)$`,
  ].join("|"),
  "i",
);

/**
 * The text of a node that was made without a model. A doc comment looks like anyone's text, so it stands beside the
 * summary: once the summary is changed, the two differ.
 */
export function isOwnSummary({ summary, docComment }: GraphNode): boolean {
  return typeof summary === "string" && (ours.test(summary) || summary === docComment);
}

/** Beside a summary that is the author's own sentence. */
export function docField(sentence: string | undefined): Pick<GraphNode, "docComment"> {
  return sentence === undefined ? {} : { docComment: sentence };
}

/** Sizes in lines from which a file is moderate and complex; a function is rated more strictly. */
const sizes = { file: [50, 200], class: [50, 200], function: [20, 60] } as const;

export function complexityOf(kind: keyof typeof sizes, lines: number): Complexity {
  const [moderate, complex] = sizes[kind];
  return lines > complex ? "complex" : lines >= moderate ? "moderate" : "simple";
}

/**
 * New structure with the existing description: the structural analyzer never replaces a description that it did not
 * generate, but by one that is stored for the new content.
 */
export function keepDescriptions(old: GraphNode, fresh: GraphNode, drift: Drift | undefined): GraphNode {
  const { docComment: _doc, ...kept } = old;
  if (hasDescription(fresh)) return { ...withoutReview({ ...kept, ...fresh }), ...subjectOf(fresh) };
  if (!hasDescription(old)) return { ...kept, ...fresh };
  const { id, type, filePath, lineRange } = fresh;
  const facts = { id, type, ...(filePath === undefined ? {} : { filePath }), ...(lineRange ? { lineRange } : {}) };
  return keptText({ ...kept, ...facts } as GraphNode, drift);
}

export function hasDescription(node: GraphNode): boolean {
  return typeof node.summary === "string" && node.summary !== "" && !isOwnSummary(node);
}

/** As `describes` of a node: the text is about another content than the node's, and it is not known which. */
export const UNKNOWN_CONTENT = "unknown";

/** What `describes` says: a symbol hash, or a blob. Any other value is a field of another tool. */
export function describedContent({ describes }: Partial<GraphNode>): string | undefined {
  return typeof describes === "string" && /^(?:h\d+:[0-9a-f]+|blob:[0-9a-f]+|unknown)$/.test(describes)
    ? describes
    : undefined;
}

/** A node that keeps its text while its file has another content. */
export function keptText(node: GraphNode, drift: Drift | undefined): GraphNode {
  const isOther = drift !== undefined && drift !== "none" && drift !== "cosmetic";
  const isOpen = isOther && hasDescription(node) && node.describes === undefined;
  const kept = isOpen ? { ...node, describes: UNKNOWN_CONTENT } : node;
  return drift === "interface" && kept.needsReview !== true ? { ...kept, needsReview: true } : kept;
}

/** What a node says about its own text: the content that it describes, and whether it may have become false. */
export function subjectOf(node: GraphNode): { describes?: string; needsReview?: unknown } {
  const [describes, { needsReview }] = [describedContent(node), node];
  return { ...(describes === undefined ? {} : { describes }), ...(needsReview === undefined ? {} : { needsReview }) };
}

/** Its text is about its own content. */
export function withoutReview(node: GraphNode): GraphNode {
  if (!("needsReview" in node) && describedContent(node) === undefined) return node;
  const { needsReview: _reviewed, ...rest } = node;
  if (describedContent(node) !== undefined) delete rest.describes;
  return rest as GraphNode;
}
