import { fileId } from "./ids.js";
import { byText, insertSorted } from "./order.js";
import { dirOf, upwards } from "./resolve/file-index.js";
import type { GraphNode, Layer } from "./types.js";
import type { LayerShell } from "./update.js";

/** The layer that the structural analyzer chooses: one for each top directory, and one for the files in the root. */
export function topLayer(path: string): Layer {
  const slash = path.indexOf("/");
  if (slash < 0) return { id: "layer:root", name: "root", description: "Files in the project root", nodeIds: [] };
  const dir = path.slice(0, slash);
  return { id: `layer:${dir}`, name: dir, description: `Files in ${dir}/`, nodeIds: [] };
}

/** `descriptions`: what the READMEs of the directories say. */
export function layersByTopDirectory(
  paths: Iterable<string>,
  descriptions: ReadonlyMap<string, string> = new Map(),
): Layer[] {
  const layers = new Map<string, Layer>();
  for (const path of [...paths].sort(byText)) {
    const layer = topLayer(path);
    const description = path.includes("/") ? descriptions.get(layer.name) : undefined;
    const known = layers.get(layer.id) ?? { ...layer, ...(description === undefined ? {} : { description }) };
    known.nodeIds.push(fileId(path));
    layers.set(known.id, known);
  }
  return [...layers.values()].sort((a, b) => byText(a.id, b.id));
}

export interface LayerRepair {
  before: readonly Layer[];
  /** The new layers, if the update has some. */
  given: readonly Layer[] | undefined;
  nodes: readonly GraphNode[];
  exists: (id: string) => boolean;
  /** Whether a member of a layer is a node outside of `nodes`. */
  isElsewhere?: (id: string) => boolean;
  renamed: readonly { from: string; to: string }[];
  layerOf: ReadonlyMap<string, LayerShell>;
}

/** Puts every file node into exactly one layer, and removes entries without a node. A layer can become empty: see `tidyLayers`. */
export function repairLayers(repair: LayerRepair): Layer[] {
  const { before, given, isElsewhere = () => false, renamed, layerOf } = repair;
  const paths = filePaths(repair);
  const exists = (id: string) => isElsewhere(id) || repair.exists(id);
  const moved = given === undefined ? movedByDirectory(renamed) : new Map<string, string>();
  const placed = new Map<string, Layer>();
  const kept = (given ?? before).map((layer) => keepMembers(layer, exists, paths, placed, moved));
  const missing = [...paths].filter(([id]) => !placed.has(id));
  if (missing.length === 0) return kept;
  const hints = given === undefined ? layerOf : formerLayers(before, kept, paths);
  return withMembers(kept, assign(missing, kept, placedPaths(placed, paths), hints));
}

/** The file nodes; those outside of the changed part are known as members of a layer. */
function filePaths({ before, nodes, isElsewhere = () => false }: LayerRepair): Map<string, string> {
  const paths = new Map<string, string>();
  for (const { id, type, filePath } of nodes) if (type === "file") paths.set(id, filePath ?? id);
  const start = fileId("");
  for (const { nodeIds } of before) {
    for (const id of nodeIds) {
      if (!paths.has(id) && id.startsWith(start) && isElsewhere(id)) paths.set(id, id.slice(start.length));
    }
  }
  return paths;
}

/** The layer without missing, duplicate or already placed members; the same object if nothing changes. */
function keepMembers(
  layer: Layer,
  exists: (id: string) => boolean,
  paths: ReadonlyMap<string, string>,
  placed: Map<string, Layer>,
  moved: ReadonlyMap<string, string>,
): Layer {
  const own = new Set<string>();
  for (const id of layer.nodeIds) {
    const path = paths.get(id);
    const leaves = path !== undefined && moved.get(path) === layer.id;
    if (!exists(id) || leaves || (path !== undefined && placed.has(id))) continue;
    own.add(id);
    if (path !== undefined) placed.set(id, layer);
  }
  return own.size === layer.nodeIds.length ? layer : { ...layer, nodeIds: [...own] };
}

/** A file that moved to another top directory leaves that directory's layer; it stays in a layer of any other kind. */
function movedByDirectory(renamed: readonly { from: string; to: string }[]): Map<string, string> {
  const moves = renamed.map(({ from, to }) => ({ to, old: topLayer(from).id, now: topLayer(to).id }));
  return new Map(moves.filter(({ old, now }) => old !== now).map(({ to, old }) => [to, old]));
}

function formerLayers(
  before: readonly Layer[],
  kept: readonly Layer[],
  paths: ReadonlyMap<string, string>,
): Map<string, LayerShell> {
  const known = new Set(kept.map(({ id }) => id));
  const former = new Map<string, LayerShell>();
  for (const layer of before) {
    for (const id of known.has(layer.id) ? layer.nodeIds : []) {
      const path = paths.get(id);
      if (path !== undefined && !former.has(path)) former.set(path, layer);
    }
  }
  return former;
}

function placedPaths(placed: ReadonlyMap<string, Layer>, paths: ReadonlyMap<string, string>): Map<string, Layer> {
  return new Map([...placed].map(([id, layer]) => [paths.get(id) ?? id, layer]));
}

/** The layer that each missing file joins: its earlier one, that of its directory, or that of its top directory. */
function assign(
  missing: readonly [id: string, path: string][],
  layers: readonly Layer[],
  placed: ReadonlyMap<string, Layer>,
  hints: ReadonlyMap<string, LayerShell>,
): Map<string, { shell: LayerShell; ids: string[] }> {
  const census = takeCensus(placed);
  const byId = new Map<string, LayerShell>(layers.map((layer) => [layer.id, layer]));
  const joining = new Map<string, { shell: LayerShell; ids: string[] }>();
  for (const [id, path] of missing) {
    const wanted = hints.get(path) ?? layerNear(path, census) ?? topLayer(path);
    const shell = byId.get(wanted.id) ?? wanted;
    const group = joining.get(shell.id);
    if (group) group.ids.push(id);
    else joining.set(shell.id, { shell, ids: [id] });
  }
  return joining;
}

/** How many files of each layer are directly in a directory, and anywhere below it. */
interface Census {
  direct: Map<string, Map<Layer, number>>;
  below: Map<string, Map<Layer, number>>;
}

function takeCensus(placed: ReadonlyMap<string, Layer>): Census {
  const census: Census = { direct: new Map(), below: new Map() };
  const add = (counts: Map<string, Map<Layer, number>>, dir: string, layer: Layer) => {
    const inDir = counts.get(dir) ?? new Map<Layer, number>();
    inDir.set(layer, (inDir.get(layer) ?? 0) + 1);
    counts.set(dir, inDir);
  };
  for (const [path, layer] of placed) {
    add(census.direct, dirOf(path), layer);
    for (const dir of upwards(dirOf(path))) add(census.below, dir, layer);
  }
  return census;
}

/** The most frequent layer in the same directory, or in the nearest parent that has one; the root does not count. */
function layerNear(path: string, { direct, below }: Census): Layer | undefined {
  const dir = dirOf(path);
  const siblings = mostCommon(direct.get(dir));
  if (siblings !== undefined) return siblings;
  for (const above of upwards(dir)) {
    const found = above === "" ? undefined : mostCommon(below.get(above));
    if (found !== undefined) return found;
  }
  return undefined;
}

function mostCommon(counts: ReadonlyMap<Layer, number> | undefined): Layer | undefined {
  let best: Layer | undefined;
  let most = 0;
  for (const [layer, count] of counts ?? []) {
    if (count > most || (count === most && best !== undefined && layer.id < best.id)) [best, most] = [layer, count];
  }
  return best;
}

function withMembers(
  layers: readonly Layer[],
  joining: ReadonlyMap<string, { shell: LayerShell; ids: string[] }>,
): Layer[] {
  const known = new Set<string>();
  const grown = layers.map((layer) => {
    // Some existing graphs have two layers with one id; new files join the first.
    const ids = known.has(layer.id) ? undefined : joining.get(layer.id)?.ids;
    known.add(layer.id);
    return ids === undefined ? layer : { ...layer, nodeIds: insertSorted(layer.nodeIds, ids, (id) => id) };
  });
  const added = [...joining.values()].filter(({ shell }) => !known.has(shell.id));
  const made = added.map(({ shell, ids }): Layer => ({ ...(shell as Layer), nodeIds: [...ids].sort(byText) }));
  return insertSorted(grown, made, ({ id }) => id);
}

export function tidyLayers(layers: readonly Layer[]): Layer[] {
  return layers.filter(({ nodeIds }) => nodeIds.length > 0);
}

/** One that the structural analyzer made, by directories. */
export function isGeneratedLayer({ id, name, description }: Layer): boolean {
  return [topLayer(""), topLayer(`${name}/`)].some((made) => made.id === id && made.description === description);
}
