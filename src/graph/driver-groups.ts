import { repairLayers, tidyLayers } from "./layers.js";
import { repairTour } from "./merge.js";
import { changedBy, mergeFields, mergeKeyed, mergeSets, pick, type Side, same, type Three } from "./three-way.js";
import type { GraphHead, GraphNode, Layer, TourStep } from "./types.js";

interface Groups {
  base: GraphHead;
  ours: GraphHead;
  theirs: GraphHead;
  newer: Side;
  exists: (id: string) => boolean;
}

/**
 * Merges layers by id and their members as sets; then each file is in exactly one layer. If both sides moved it, the
 * newer side wins.
 */
export function mergeLayers({ base, ours, theirs, newer, exists }: Groups, nodes: readonly GraphNode[]): Layer[] {
  const lists = { base: oneEach(base.layers), ours: oneEach(ours.layers), theirs: oneEach(theirs.layers) };
  const merged = mergeKeyed(
    lists,
    ({ id }) => id,
    (three) => (isGivenUp(three) ? undefined : mergeLayer(three, newer)),
  );
  const preferred = homes(lists[newer]);
  const members = new Map(merged.map(({ id, nodeIds }) => [id, new Set(nodeIds)]));
  const isFile = new Set(nodes.filter(({ type }) => type === "file").map(({ id }) => id));
  const settled = merged.map((layer) => {
    const nodeIds = layer.nodeIds.filter((id) => {
      const home = isFile.has(id) ? preferred.get(id) : undefined;
      return home === undefined || home === layer.id || members.get(home)?.has(id) !== true;
    });
    return nodeIds.length === layer.nodeIds.length ? layer : { ...layer, nodeIds };
  });
  const given = { before: settled, given: undefined, nodes, exists, renamed: [], layerOf: new Map() };
  return tidyLayers(repairLayers(given));
}

/** Some existing graphs have two layers with one id: they are combined. */
function oneEach(layers: readonly Layer[]): Layer[] {
  const byId = new Map<string, Layer>();
  for (const layer of layers) {
    const known = byId.get(layer.id);
    byId.set(layer.id, known === undefined ? layer : { ...known, nodeIds: [...known.nodeIds, ...layer.nodeIds] });
  }
  return [...byId.values()];
}

function homes(layers: readonly Layer[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { id, nodeIds } of layers) for (const member of nodeIds) if (!found.has(member)) found.set(member, id);
  return found;
}

/**
 * A layer that one side deleted is gone, even if files joined it on the other side. Only a rewritten description keeps
 * it.
 */
function mergeLayer(three: Three<Layer>, newer: Side): Layer | undefined {
  return pick<Layer>(three, (ours, theirs) => {
    const shells = { base: shellOf(three.base), ours: shellOf(ours), theirs: shellOf(theirs) };
    const nodeIds = mergeSets({ base: three.base?.nodeIds, ours: ours.nodeIds, theirs: theirs.nodeIds });
    return { ...(mergeFields<Record<string, unknown>>(shells, () => newer) as Layer), nodeIds };
  });
}

function isGivenUp({ base, ours, theirs }: Three<Layer>): boolean {
  const kept = ours ?? theirs;
  return base !== undefined && (ours === undefined || theirs === undefined) && same(shellOf(base), shellOf(kept));
}

function shellOf(layer: Layer | undefined): Record<string, unknown> | undefined {
  if (layer === undefined) return undefined;
  const { nodeIds: _members, ...shell } = layer;
  return shell;
}

/** Merges steps by title. If both sides rewrote the whole tour, the newer one is used unchanged. */
export function mergeTour({ base, ours, theirs, newer, exists }: Groups): TourStep[] {
  const tours = { base: base.tour, ours: ours.tour, theirs: theirs.tour };
  const whole = pick<TourStep[]>(tours, () => (newer === "ours" ? ours.tour : theirs.tour)) ?? [];
  const titles = new Set(ours.tour.map(({ title }) => title));
  if (changedBy(tours) !== "both" || !theirs.tour.some(({ title }) => titles.has(title))) {
    return repairTour(whole, exists);
  }
  const merged = mergeKeyed(
    { base: named(base.tour), ours: named(ours.tour), theirs: named(theirs.tour) },
    ({ key }) => key,
    (three) => {
      const steps = { base: three.base?.step, ours: three.ours?.step, theirs: three.theirs?.step };
      const step = pick<TourStep>(steps, (left, right) => {
        const nodeIds = mergeSets({ base: steps.base?.nodeIds, ours: left.nodeIds, theirs: right.nodeIds });
        return { ...mergeFields<TourStep>(steps, () => newer), nodeIds };
      });
      return step && { key: (three.ours ?? three.theirs)?.key ?? "", step };
    },
  );
  return repairTour(renumbered(merged.map(({ step }) => step)), exists);
}

/** Each step with a unique key: its title, numbered if it occurs twice. */
function named(tour: readonly TourStep[]): { key: string; step: TourStep }[] {
  const seen = new Map<string, number>();
  return tour.map((step) => {
    const title = step.title ?? "";
    const count = seen.get(title) ?? 0;
    seen.set(title, count + 1);
    return { key: `${title}\0${count}`, step };
  });
}

/** Keeps the order; renumbers the steps if two of them have the same number. */
function renumbered(tour: readonly TourStep[]): TourStep[] {
  const sorted = [...tour].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const isClear = new Set(sorted.map(({ order }) => order)).size === sorted.length;
  return isClear ? sorted : sorted.map((step, at) => ({ ...step, order: at + 1 }));
}
