import type { Shade } from "../types.js";
import { byId } from "./dom.js";
import { count, LABELS, shown } from "./labels.js";
import { type Box, boxAt, isArrow, layOut, neighbour } from "./layout.js";
import { createBrush, paint, readColours } from "./paint.js";
import { fits, isSearching, type Store } from "./state.js";
import { type Folder, worst } from "./tree.js";

/** The treemap: one canvas for thousands of rectangles, and two frames for hover and cursor. */
export function createMap(store: Store, swatches: ReadonlyMap<Shade, Element>): { draw(): void; redraw(): void } {
  const host = byId("map");
  const canvas = byId("canvas") as HTMLCanvasElement;
  const frames = { cursor: byId("cursor"), selected: byId("selected") };
  let boxes: Box[] = [];
  let cursor: Box | null = null;
  let scheduled = false;

  const draw = () => {
    scheduled = false;
    const started = performance.now();
    const { folder, area } = store.get();
    const size = { w: host.clientWidth, h: host.clientHeight };
    if (size.w === 0 || size.h === 0) return; // the list is shown
    boxes = layOut(folder, size, area);
    cursor = boxes.find(({ item }) => item === cursor?.item) ?? null;
    drawBoxes({ canvas, host, swatches }, boxes, size, store);
    place();
    note(host, boxes.length, performance.now() - started);
  };
  const redraw = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(draw);
  };
  const place = () => {
    const { selected } = store.get();
    frame(frames.cursor, cursor);
    frame(frames.selected, boxes.find(({ item }) => item === selected) ?? null);
  };
  const moveTo = (box: Box | null, aloud: boolean) => {
    if (box === cursor) return;
    cursor = box;
    place();
    byId("here").textContent = box === null ? "" : describe(box);
    if (aloud && box !== null) byId("aloud").textContent = describe(box);
  };
  const act = ({ item }: Box) => store.set(item.kind === "folder" ? { folder: item } : { selected: item });

  listenToPointer(host, (x, y) => boxAt(boxes, x, y), moveTo, act, store);
  listenToKeys(host, { boxes: () => boxes, cursor: () => cursor, moveTo, act }, store);
  new ResizeObserver(redraw).observe(host);
  store.watch((_, changed) => {
    if (changed.has("folder")) cursor = null;
    if (changed.size === 1 && changed.has("selected")) place();
    else redraw();
  });
  return { draw, redraw };
}

interface Surface {
  canvas: HTMLCanvasElement;
  host: HTMLElement;
  swatches: ReadonlyMap<Shade, Element>;
}

function drawBoxes(
  { canvas, host, swatches }: Surface,
  boxes: readonly Box[],
  { w, h }: { w: number; h: number },
  store: Store,
): void {
  const scale = Math.min(3, window.devicePixelRatio || 1);
  canvas.width = Math.round(w * scale);
  canvas.height = Math.round(h * scale);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(scale, scale);
  const state = store.get();
  const brush = createBrush(context, readColours(swatches, host), scale);
  paint(brush, boxes, isSearching(state) ? (leaf) => fits(state, leaf) : null);
}

/** Read by the test that draws 20,000 files. */
function note({ dataset }: HTMLElement, boxes: number, ms: number): void {
  dataset.boxes = String(boxes);
  dataset.drawMs = ms.toFixed(1);
}

function frame(element: HTMLElement, box: Box | null): void {
  element.hidden = box === null;
  if (box === null) return;
  element.style.transform = `translate(${box.x}px, ${box.y}px)`;
  element.style.width = `${Math.max(3, box.w)}px`;
  element.style.height = `${Math.max(3, box.h)}px`;
}

function describe({ item }: Box): string {
  if (item.kind === "file") return `${shown(item.path)} — ${LABELS[item.file.drift].name}`;
  const worstName = LABELS[worst(item.counts)].name;
  return `${shown(item.path)}/ — folder, ${count(item.files, "file")}, at worst ${worstName}`;
}

function listenToPointer(
  host: HTMLElement,
  at: (x: number, y: number) => Box | null,
  moveTo: (box: Box | null, aloud: boolean) => void,
  act: (box: Box) => void,
  store: Store,
): void {
  const under = (event: MouseEvent) => {
    const { left, top } = host.getBoundingClientRect();
    return at(event.clientX - left, event.clientY - top);
  };
  host.addEventListener("pointermove", (event) => moveTo(under(event), false));
  host.addEventListener("pointerleave", () => moveTo(null, false));
  host.addEventListener("click", (event) => {
    const box = under(event);
    if (box !== null) act(box);
  });
  host.addEventListener("dblclick", (event) => {
    const box = under(event);
    if (box?.item.kind === "file") zoomTowards(store, box.item.parent);
  });
}

interface Keyboard {
  boxes(): readonly Box[];
  cursor(): Box | null;
  moveTo(box: Box | null, aloud: boolean): void;
  act(box: Box): void;
}

/** Arrows move, Enter explains a file or opens a folder, + and - zoom. */
function listenToKeys(host: HTMLElement, { boxes, cursor, moveTo, act }: Keyboard, store: Store): void {
  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const at = cursor();
    const { folder } = store.get();
    if (isArrow(key)) {
      const first = boxes().find(({ open }) => !open) ?? null;
      moveTo(at === null || at.open ? first : (neighbour(boxes(), at, key) ?? at), true);
    } else if ((key === "Enter" || key === " ") && at !== null) act(at);
    else if (key === "+" && at !== null) zoomTowards(store, at.item.kind === "folder" ? at.item : at.item.parent);
    else if ((key === "-" || key === "Backspace" || key === "Escape") && folder.parent !== null)
      store.set({ folder: folder.parent });
    else return;
    event.preventDefault();
  });
}

/** One step from the current folder towards a deeper one. */
function zoomTowards(store: Store, target: Folder): void {
  const { folder } = store.get();
  let step = target;
  while (step.parent !== null && step.parent !== folder) step = step.parent;
  if (step.parent === folder) store.set({ folder: step });
}
