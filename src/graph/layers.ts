import { fileId } from "./ids.js";
import { byText } from "./order.js";
import type { Layer } from "./types.js";

/** Where the structural analyzer puts a file: one layer for each top directory, one for the files of the root. */
export function topLayer(path: string): Layer {
  const slash = path.indexOf("/");
  if (slash < 0) return { id: "layer:root", name: "root", description: "Files in the project root", nodeIds: [] };
  const dir = path.slice(0, slash);
  return { id: `layer:${dir}`, name: dir, description: `Files in ${dir}/`, nodeIds: [] };
}

export function layersByTopDirectory(paths: Iterable<string>): Layer[] {
  const layers = new Map<string, Layer>();
  for (const path of [...paths].sort(byText)) {
    const layer = topLayer(path);
    const known = layers.get(layer.id) ?? layer;
    known.nodeIds.push(fileId(path));
    layers.set(known.id, known);
  }
  return [...layers.values()].sort((a, b) => byText(a.id, b.id));
}
