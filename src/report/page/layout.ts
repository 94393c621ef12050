import { type Rect, squarify } from "./squarify.js";
import type { Folder, TreeItem } from "./tree.js";

export type Area = "size" | "equal";

/** One rectangle of the map: a file, an open folder behind its children, or a folder that is too small to be opened. */
export interface Box extends Rect {
  item: TreeItem;
  /** Number of enclosing folders. */
  depth: number;
  open: boolean;
  /** Height of the strip with the folder's name; 0 if there is no room for it. */
  header: number;
}

const HEADER = 17;
const EMPTY: Rect = { x: 0, y: 0, w: 0, h: 0 };

/** All visible boxes of a folder at this size, parents before children. */
export function layOut(root: Folder, size: { w: number; h: number }, area: Area): Box[] {
  const weigh = weigher(root, area);
  const boxes: Box[] = [];
  const place = (folder: Folder, rect: Rect, depth: number) => {
    const children = folder.children
      .map((item) => ({ item, weight: weigh(item) }))
      .sort((a, b) => b.weight - a.weight || (a.item.path < b.item.path ? -1 : 1));
    const rects = squarify(
      children.map(({ weight }) => weight),
      rect,
    );
    children.forEach(({ item }, at) => {
      const own = rects[at] ?? EMPTY;
      const open = item.kind === "folder" && own.w >= 6 && own.h >= 6;
      const header = open && own.w >= 54 && own.h >= 40 ? HEADER : 0;
      boxes.push({ ...own, item, depth, open, header });
      if (item.kind === "folder" && open) place(item, inside(own, header), depth + 1);
    });
  };
  place(root, { x: 0, y: 0, ...size }, 0);
  return boxes;
}

function inside({ x, y, w, h }: Rect, header: number): Rect {
  const pad = w >= 40 && h >= 40 ? 3 : 1;
  const top = header > 0 ? header : pad;
  return { x: x + pad, y: y + top, w: Math.max(0, w - 2 * pad), h: Math.max(0, h - top - pad) };
}

/**
 * Size to the power of 0.7: differences are visible, and small files are too. A deleted file, or one of unknown size,
 * counts as an average one.
 */
function weigher(root: Folder, area: Area): (item: TreeItem) => number {
  const average = Math.max(1, root.bytes / Math.max(1, root.files));
  const weights = new Map<Folder, number>();
  const weigh = (item: TreeItem): number => {
    if (item.kind === "file") return area === "equal" ? 1 : Math.max(40, item.file.bytes ?? average) ** 0.7;
    const known = weights.get(item);
    if (known !== undefined) return known;
    const sum = item.children.reduce((total, child) => total + weigh(child), 0);
    weights.set(item, sum);
    return sum;
  };
  return weigh;
}

/** The topmost box at a point: children come after their parents. */
export function boxAt(boxes: readonly Box[], x: number, y: number): Box | null {
  return boxes.findLast((box) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) ?? null;
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as const;
export type Arrow = keyof typeof STEPS;

export const isArrow = (key: string): key is Arrow => Object.hasOwn(STEPS, key);

/** The nearest box in a direction; boxes straight ahead count as nearer. Open folders are skipped. */
export function neighbour(boxes: readonly Box[], from: Box, arrow: Arrow): Box | null {
  const [dx, dy] = STEPS[arrow];
  let best: Box | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const box of boxes) {
    if (box.open || box === from) continue;
    const [x, y] = [box.x + box.w / 2 - from.x - from.w / 2, box.y + box.h / 2 - from.y - from.h / 2];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead <= 0.5) continue;
    const far = ahead + aside * 2.5;
    if (far < least) [best, least] = [box, far];
  }
  return best;
}
