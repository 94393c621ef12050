import { byText, predecessors } from "./order.js";

export interface Position {
  /** Two items with the same key are the same item. */
  key: string | number;
  /** The file it belongs to; "" if there is none. */
  file: string;
}

export interface Placing<T> {
  old: readonly T[];
  /** In the wanted order; of two with one key, the later one is used. */
  incoming: readonly T[];
  placeOf(item: T): Position;
  /** Whether an old item that is not in `incoming` is kept. */
  stays(item: T): boolean;
  replace(old: T, incoming: T): T;
}

/** Where the old items of one file are. */
interface Block {
  /** Positions of the old items that are in `incoming` again. */
  slots: number[];
  firstGone: number | undefined;
  last: number;
}

interface Arrival<T> {
  item: T;
  file: string;
  /** The old item with the same key. */
  before: T | undefined;
}

interface Insertions<T> {
  before: Map<number, T[]>;
  /** The key -1 means: at the start of the list. */
  after: Map<number, T[]>;
}

/**
 * Puts items into a list so that its diff shows only what changed: kept items stay where they are, updated items take
 * their old position, new items follow their neighbour, and a new file follows the previous one in the order of paths.
 * A list that is sorted by file stays sorted; any other list changes as little as possible.
 */
export function placeInto<T>(placing: Placing<T>): T[] {
  const { old, incoming, placeOf, stays } = placing;
  const arrivals = new Map<string | number, Arrival<T>>();
  for (const item of incoming) {
    const { key, file } = placeOf(item);
    arrivals.set(key, { item, file, before: undefined });
  }
  const result: (T | undefined)[] = new Array(old.length);
  const blocks = new Map<string, Block>();
  const seen = new Set<string | number>();
  let index = -1;
  for (const item of old) {
    index++;
    const { key, file } = placeOf(item);
    const block = blockAt(blocks, file, index);
    if (seen.has(key)) continue;
    const again = arrivals.get(key);
    if (again !== undefined) {
      again.before = item;
      blockAt(blocks, again.file, index).slots.push(index);
    } else if (stays(item)) result[index] = item;
    else {
      block.firstGone ??= index;
      continue;
    }
    seen.add(key);
  }
  return weave(result, placeArrivals(placing, [...arrivals.values()], blocks, result));
}

function blockAt(blocks: Map<string, Block>, file: string, index: number): Block {
  let block = blocks.get(file);
  if (block === undefined) {
    block = { slots: [], firstGone: undefined, last: index };
    blocks.set(file, block);
  }
  if (index > block.last) block.last = index;
  return block;
}

/** Writes updated items to their old positions in `result`, and returns where the new ones go. */
function placeArrivals<T>(
  placing: Placing<T>,
  arrivals: readonly Arrival<T>[],
  blocks: Map<string, Block>,
  result: (T | undefined)[],
): Insertions<T> {
  const woven: Insertions<T> = { before: new Map(), after: new Map() };
  const groups = groupByFile(arrivals);
  const files = [...groups.keys()].filter((file) => file !== "").sort(byText);
  const present = [...blocks.keys()].filter((file) => file !== "");
  const anchors = files.every((file) => blocks.has(file)) ? new Map() : predecessors(present, files);
  // Items without a file are last.
  for (const file of groups.has("") ? [...files, ""] : files) {
    const group = groups.get(file) ?? [];
    const block = blocks.get(file);
    if (block !== undefined) {
      placeBlock(placing, block, group, result, woven);
      continue;
    }
    const neighbour = anchors.get(file);
    const end = file === "" ? result.length - 1 : -1;
    const at = neighbour === undefined ? end : (blocks.get(neighbour)?.last ?? end);
    for (const { item } of group) push(woven.after, at, item);
  }
  return woven;
}

function groupByFile<T>(arrivals: readonly Arrival<T>[]): Map<string, Arrival<T>[]> {
  const groups = new Map<string, Arrival<T>[]>();
  for (const arrival of arrivals) {
    const group = groups.get(arrival.file);
    if (group) group.push(arrival);
    else groups.set(arrival.file, [arrival]);
  }
  return groups;
}

function placeBlock<T>(
  placing: Placing<T>,
  block: Block,
  arrivals: readonly Arrival<T>[],
  result: (T | undefined)[],
  woven: Insertions<T>,
): void {
  let used = 0;
  for (const { item, before } of arrivals) {
    const slot = block.slots[used];
    if (before !== undefined && slot !== undefined) {
      result[slot] = placing.replace(before, item);
      used++;
    } else if (used > 0) push(woven.after, block.slots[used - 1] ?? -1, item);
    else if (slot !== undefined) push(woven.before, slot, item);
    else if (block.firstGone !== undefined) push(woven.before, block.firstGone, item);
    else push(woven.after, block.last, item);
  }
}

function push<T>(lists: Map<number, T[]>, at: number, item: T): void {
  const list = lists.get(at);
  if (list) list.push(item);
  else lists.set(at, [item]);
}

function weave<T>(result: readonly (T | undefined)[], { before, after }: Insertions<T>): T[] {
  const woven: T[] = [...(after.get(-1) ?? [])];
  const none: T[] = [];
  let index = 0;
  for (const item of result) {
    for (const inserted of before.get(index) ?? none) woven.push(inserted);
    if (item !== undefined) woven.push(item);
    for (const inserted of after.get(index) ?? none) woven.push(inserted);
    index++;
  }
  return woven;
}
