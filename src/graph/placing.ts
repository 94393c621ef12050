import { byText, predecessors } from "./order.js";

export interface Placing<T> {
  old: readonly T[];
  /** By key, in the order in which they should stand. */
  incoming: ReadonlyMap<string, T>;
  keyOf(item: T): string;
  /** The file an item belongs to; "" for none. */
  fileOf(item: T): string;
  /** Whether an old item that is not among the incoming ones remains. */
  stays(item: T): boolean;
  replace(old: T, incoming: T): T;
}

/** Where the old items of one file stood. */
interface Block {
  /** Old items that come again, by place. */
  slots: number[];
  firstGone: number | undefined;
  last: number;
}

/**
 * Puts items into a list so that a diff of it shows what changed and nothing else: what stays keeps its place, what
 * comes again takes the place it had, what is new follows its neighbour, and a new file follows the one before it in
 * the order of paths. A list that was sorted by file stays sorted; one that was not is disturbed as little as possible.
 */
export function placeInto<T>(placing: Placing<T>): T[] {
  const { old, incoming, keyOf, stays } = placing;
  const seen = new Set<string>();
  const result: (T | undefined)[] = new Array(old.length);
  const known = new Map<string, T>();
  const blocks = new Map<string, Block>();
  old.forEach((item, index) => {
    const key = keyOf(item);
    const block = blockOf(blocks, placing.fileOf(item), index);
    if (seen.has(key)) return;
    seen.add(key);
    const again = incoming.get(key);
    if (again !== undefined) {
      known.set(key, item);
      blockOf(blocks, placing.fileOf(again), index).slots.push(index);
    } else if (stays(item)) result[index] = item;
    else block.firstGone ??= index;
  });
  return weave(result, insertions(placing, blocks, known, result));
}

function blockOf(blocks: Map<string, Block>, file: string, index: number): Block {
  let block = blocks.get(file);
  if (block === undefined) {
    block = { slots: [], firstGone: undefined, last: index };
    blocks.set(file, block);
  }
  block.last = Math.max(block.last, index);
  return block;
}

interface Insertions<T> {
  before: Map<number, T[]>;
  after: Map<number, T[]>;
}

/** Fills the slots of what comes again (in `result`), and says where the rest goes. -1 is the very beginning. */
function insertions<T>(
  placing: Placing<T>,
  blocks: Map<string, Block>,
  known: ReadonlyMap<string, T>,
  result: (T | undefined)[],
): Insertions<T> {
  const woven: Insertions<T> = { before: new Map(), after: new Map() };
  const groups = groupByFile(placing);
  const files = [...groups.keys()].filter((file) => file !== "").sort(byText);
  const present = [...blocks.keys()].filter((file) => file !== "");
  const anchors = predecessors(present, files);
  // What belongs to no file comes last.
  for (const file of groups.has("") ? [...files, ""] : files) {
    const items = groups.get(file) ?? [];
    const block = blocks.get(file);
    if (block !== undefined) {
      placeBlock(placing, block, items, known, result, woven);
      continue;
    }
    const before = anchors.get(file);
    const end = file === "" ? result.length - 1 : -1;
    const at = before === undefined ? end : (blocks.get(before)?.last ?? end);
    for (const [, item] of items) push(woven.after, at, item);
  }
  return woven;
}

function groupByFile<T>({ incoming, fileOf }: Placing<T>): Map<string, [string, T][]> {
  const groups = new Map<string, [string, T][]>();
  for (const entry of incoming) {
    const file = fileOf(entry[1]);
    const group = groups.get(file);
    if (group) group.push(entry);
    else groups.set(file, [entry]);
  }
  return groups;
}

function placeBlock<T>(
  placing: Placing<T>,
  block: Block,
  items: readonly [string, T][],
  known: ReadonlyMap<string, T>,
  result: (T | undefined)[],
  woven: Insertions<T>,
): void {
  let used = 0;
  for (const [key, item] of items) {
    const before = known.get(key);
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
  for (let index = 0; index < result.length; index++) {
    for (const item of before.get(index) ?? []) woven.push(item);
    const item = result[index];
    if (item !== undefined) woven.push(item);
    for (const item of after.get(index) ?? []) woven.push(item);
  }
  return woven;
}
