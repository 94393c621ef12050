import { hashOf } from "../fingerprint/hash.js";
import { withoutReview } from "../graph/descriptions.js";
import { fileId } from "../graph/ids.js";
import { repairLayers, topLayer } from "../graph/layers.js";
import { tidyGroups } from "../graph/merge.js";
import { byText } from "../graph/order.js";
import { NO_FILE } from "../graph/pieces.js";
import { generatedDescription } from "../graph/project-texts.js";
import type { GraphHead, GraphNode, Layer, TourStep } from "../graph/types.js";
import { type Check, isObject, isText, listOf, objectOf, orNull } from "../store/check.js";
import { readSetting, SETTINGS, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import type { TextOrigin } from "./file-descriptions.js";
import type { StoredGraph } from "./stored-graph.js";
import { timeAfter } from "./times.js";

/**
 * What was written and is about no file: layers, the tour, the project's description, nodes without a file. They are known by their
 * name and describe any content. As with descriptions, a text that is stored already gets no new time, so that an old copy of the
 * graph brings nothing new (invariant "nothing written is lost").
 */
interface WrittenPart {
  /** Hashes of all texts that the graph ever had here. */
  seen: string[];
  here: WrittenText | null;
  /** It came in an artefact that git tracks, and counts while HEAD has that. */
  tracked: WrittenText | null;
  /** When another tool made a newer graph without this node: it is not shown, until a newer one or a branch's has it again. */
  left?: string;
}

interface WrittenText {
  at: string;
  hash: string;
  value: unknown;
}

type WrittenParts = Record<string, WrittenPart>;
type GivenPart = Omit<WrittenText, "at">;

const isWrittenText: Check<WrittenText> = (one): one is WrittenText =>
  isObject(one) && isText(one.at) && isText(one.hash) && one.value !== undefined && one.value !== null;
const isPart = objectOf<WrittenPart>(
  { seen: listOf(isText), here: orNull(isWrittenText), tracked: orNull(isWrittenText) },
  { left: isText },
);
const isParts: Check<WrittenParts> = (value): value is WrittenParts =>
  isObject(value) && Object.values(value).every(isPart);

const PARTS: Setting<WrittenParts> = { key: "parts:", version: 1, check: isParts, invalid: "damaged" };

/** Later ones are forgotten: an older copy of the graph is taken for a new text. */
const MOST_SEEN = 200;

const LAYERS = "layers";
const TOUR = "tour";
const PROJECT = "project";
const nodeKey = (id: string) => `node ${id}`;

/** What a tidy graph has of such texts; not what the structural analyzer generates. */
function partsOf(head: GraphHead, nodes: readonly GraphNode[]): Map<string, GivenPart> {
  const layers = head.layers.filter((layer) => !isGenerated(layer));
  const { name, description } = head.project;
  const isWritten = isText(description) && description !== "" && description !== generatedDescription(name);
  return new Map([
    ...(layers.length === 0
      ? []
      : [
          part(
            LAYERS,
            layers,
            layers.map(({ nodeIds: _members, ...shell }) => shell),
          ),
        ]),
    ...(head.tour.length === 0 ? [] : [part(TOUR, head.tour)]),
    ...(isWritten ? [part(PROJECT, description)] : []),
    ...nodes.map((node) => part(nodeKey(node.id), withoutReview(node))),
  ]);
}

const part = (key: string, value: unknown, text: unknown = value): [string, GivenPart] => [
  key,
  { value, hash: hashOf(JSON.stringify(text)) },
];

function isGenerated({ id, name, description }: Layer): boolean {
  return [topLayer(""), topLayer(`${name}/`)].some((made) => made.id === id && made.description === description);
}

function enter(
  parts: WrittenParts,
  given: ReadonlyMap<string, GivenPart>,
  { source, at, isNow = false }: { source: "here" | "tracked"; at: string; isNow?: boolean },
  isNew: (known: WrittenPart, one: GivenPart) => boolean = ({ seen }, { hash }) => !seen.includes(hash),
): void {
  for (const [key, one] of given) {
    const known = parts[key] ?? { seen: [], here: null, tracked: null };
    if (!isNew(known, one)) continue;
    const seen = [...known.seen.filter((hash) => hash !== one.hash), one.hash].slice(-MOST_SEEN);
    const { left: _left, ...rest } = known;
    const time = isNow ? timeAfter(chosen(known, true)?.at, at) : at;
    parts[key] = { ...rest, seen, [source]: { at: time, ...one } };
  }
}

/**
 * Another tool made this graph here, after a node was written, and leaves the node out: it was taken away on purpose. An old copy does not, nor
 * does a graph in which nothing is written about the whole project: it was not made from this one.
 */
function noteLeft(
  parts: WrittenParts,
  given: ReadonlyMap<string, GivenPart>,
  { at: now }: TextOrigin,
  { head, trackedCounts }: ArrivingParts,
): void {
  const made = Date.parse(head.project.analyzedAt);
  if (made > Date.parse(now) || given.size === 0) return;
  for (const [key, one] of Object.entries(parts)) {
    if (!key.startsWith(nodeKey(""))) continue;
    const isNewer = made > Date.parse(one.left ?? chosen(one, trackedCounts)?.at ?? now);
    if (isNewer && given.has(key)) delete one.left;
    else if (isNewer) one.left = new Date(made).toISOString();
  }
}

/** One that came by git has the time of its commit. */
const originOfParts = ({ source, at }: TextOrigin) =>
  source === "tracked" ? { source, at } : { source: "here" as const, at, isNow: true };

function chosen({ here, tracked }: WrittenPart, trackedCounts: boolean): WrittenText | null {
  if (here === null || tracked === null || !trackedCounts) return here ?? (trackedCounts ? tracked : null);
  return tracked.at > here.at ? tracked : here;
}

const trackedIn = (db: Db, scope: string) => readSetting(db, SETTINGS.graphOrigin, scope) === "tracked";

function tidyParts(graph: StoredGraph): Map<string, GivenPart> {
  return partsOf(
    tidyGroups(graph.head, (id) => graph.pathOf(id) !== undefined),
    graph.piece(NO_FILE).nodes,
  );
}

/** After a change of ours: what the graph has now stands. To be called in the transaction that stores it. */
export function noteParts(db: Db, graph: StoredGraph, at: string): void {
  const parts = readSetting(db, PARTS, graph.scope) ?? {};
  const trackedCounts = trackedIn(db, graph.scope);
  const isOther = (known: WrittenPart, { hash }: GivenPart) =>
    known.left !== undefined || chosen(known, trackedCounts)?.hash !== hash;
  enter(parts, tidyParts(graph), { source: "here", at, isNow: true }, isOther);
  writeSetting(db, PARTS, parts, graph.scope);
}

/** A graph that something else wrote or brought, or that was built anew. */
export interface ArrivingParts {
  head: GraphHead;
  /** Those without a file. */
  nodes: readonly GraphNode[];
  exists(id: string): boolean;
  /** null: it was computed, and nothing in it was written. */
  origin: TextOrigin | null;
  trackedCounts: boolean;
}

/** Enters what is new in it, and says what it has to show. To be called in the transaction that stores it, before. */
export function settleParts(
  db: Db,
  scope: string,
  arriving: ArrivingParts,
  current: StoredGraph | null,
): { head: GraphHead; nodes: GraphNode[] } {
  const { head, nodes, exists, origin, trackedCounts } = arriving;
  const parts = readSetting(db, PARTS, scope) ?? {};
  const before = current === null ? new Map<string, GivenPart>() : tidyParts(current);
  const at = current?.head.project.analyzedAt ?? "";
  const given = partsOf(head, nodes);
  if (origin?.source === "here") noteLeft(parts, given, origin, arriving);
  enter(parts, before, { source: trackedIn(db, scope) ? "tracked" : "here", at });
  if (origin !== null) enter(parts, given, originOfParts(origin));
  writeSetting(db, PARTS, parts, scope);
  const find = (key: string) => (parts[key] === undefined ? null : chosen(parts[key], trackedCounts));
  /** As it arrived, as it is stored with what it says of missing nodes, or as it was entered. */
  const settle = <T>(key: string, arrived: T, stored: T | undefined, none: T): T => {
    const found = find(key);
    if (found === null) return origin !== null && given.has(key) ? none : arrived;
    if (found.hash === given.get(key)?.hash) return arrived;
    return stored !== undefined && found.hash === before.get(key)?.hash ? stored : (found.value as T);
  };
  const tour = settle<TourStep[]>(TOUR, head.tour, current?.head.tour, []);
  const { name } = head.project;
  const arrived = head.project.description;
  // What manifests and READMEs say is computed anew, and is no older text that was written.
  const description = origin === null ? arrived : settle(PROJECT, arrived, undefined, generatedDescription(name));
  const made = new Map(origin === null ? head.layers.map((layer) => [layer.id, layer.description]) : []);
  const layers = settle<readonly Layer[]>(LAYERS, head.layers, current?.head.layers, []).map((layer) =>
    made.has(layer.id) ? { ...layer, description: made.get(layer.id) ?? "" } : layer,
  );
  const shown = Object.entries(parts).flatMap(([key, one]) => (key.startsWith(nodeKey("")) ? [{ key, one }] : []));
  const texts = new Map(nodes.map((node) => [nodeKey(node.id), node]));
  const loose = shown.flatMap(({ key, one }) => {
    const found = chosen(one, trackedCounts);
    const hasFile = !texts.has(key) && exists(key.slice(nodeKey("").length));
    const isLeft = one.left !== undefined && !(origin?.source === "tracked" && given.has(key));
    if (found === null || hasFile || isLeft) return [];
    return [found.hash === given.get(key)?.hash ? (texts.get(key) as GraphNode) : (found.value as GraphNode)];
  });
  const ids = new Set(loose.map(({ id }) => id));
  const isThere = (id: string) => ids.has(id) || (exists(id) && !texts.has(nodeKey(id)));
  const isSame = JSON.stringify(layers) === JSON.stringify(head.layers);
  const placed = isSame ? head.layers : withAllMembers(layers, head.layers, isThere);
  const project = description === head.project.description ? head.project : { ...head.project, description };
  return { head: { ...head, project, layers: placed, tour }, nodes: loose };
}

/** Chosen layers, with every file of the arriving ones in one of them. */
function withAllMembers(layers: readonly Layer[], arrived: readonly Layer[], exists: (id: string) => boolean): Layer[] {
  const files = new Set(arrived.flatMap(({ nodeIds }) => nodeIds).filter((id) => id.startsWith(fileId(""))));
  const nodes = [...files].map((id) => ({ id, type: "file", filePath: id.slice(fileId("").length) }) as GraphNode);
  const repair = { before: layers, given: undefined, nodes, exists, renamed: [], layerOf: new Map() };
  return repairLayers(repair).map((layer) => ({ ...layer, nodeIds: [...layer.nodeIds].sort(byText) }));
}
