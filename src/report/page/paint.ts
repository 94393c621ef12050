import { SHADES, type Shade } from "../types.js";
import { shown } from "./labels.js";
import type { Box } from "./layout.js";
import { type Leaf, worst } from "./tree.js";

export interface Colours {
  fill: Record<Shade, string>;
  ink: Record<Shade, string>;
  /** Background of folders, alternating by depth. */
  ground: [string, string];
  text: string;
}

/** The current colours of the style sheet: from the swatches in the legend, and from the map itself. */
export function readColours(swatches: ReadonlyMap<Shade, Element>, map: Element): Colours {
  const of = (property: string) =>
    Object.fromEntries(
      SHADES.map((shade) => {
        const swatch = swatches.get(shade);
        return [shade, swatch === undefined ? "" : getComputedStyle(swatch).getPropertyValue(property)];
      }),
    ) as Record<Shade, string>;
  const style = getComputedStyle(map);
  return {
    fill: of("background-color"),
    ink: of("color"),
    ground: [style.backgroundColor, style.outlineColor],
    text: style.color,
  };
}

const TILE = 8;
type TextLine = readonly [x1: number, y1: number, x2: number, y2: number];

/** Patterns that distinguish shades without colour: strokes on a tile of 8 × 8. Fresh files have none. */
const STROKES: Record<Shade, readonly TextLine[]> = {
  none: [],
  cosmetic: [[3.5, 4, 4.5, 4]],
  body: [
    [-1, 9, 9, -1],
    [-1, 1, 1, -1],
    [7, 9, 9, 7],
  ],
  behaviour: [
    [-1, 9, 9, -1],
    [0, 4, 8, 4],
  ],
  interface: [
    [-1, -1, 9, 9],
    [-1, 9, 9, -1],
  ],
  new: [
    [4, 2, 4, 6],
    [2, 4, 6, 4],
  ],
  gone: [[0, 4, 8, 4]],
  unknown: [
    [1.5, 2, 2.5, 2],
    [5.5, 6, 6.5, 6],
  ],
};

function tile(shade: Shade, ink: string, scale: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = TILE * scale;
  const context = canvas.getContext("2d");
  if (context === null) return canvas;
  context.scale(scale, scale);
  context.strokeStyle = ink;
  context.globalAlpha = 0.34;
  context.lineWidth = shade === "cosmetic" || shade === "unknown" ? 1.6 : 1;
  for (const [x1, y1, x2, y2] of STROKES[shade]) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }
  return canvas;
}

export interface Brush {
  context: CanvasRenderingContext2D;
  colours: Colours;
  patterns: Map<Shade, CanvasPattern>;
}

export function createBrush(context: CanvasRenderingContext2D, colours: Colours, scale: number): Brush {
  const patterns = new Map<Shade, CanvasPattern>();
  for (const shade of SHADES) {
    if (STROKES[shade].length === 0) continue;
    const pattern = context.createPattern(tile(shade, colours.ink[shade], scale), "repeat");
    if (pattern === null) continue;
    pattern.setTransform(new DOMMatrix().scale(1 / scale)); // the tile is drawn at device pixels
    patterns.set(shade, pattern);
  }
  return { context, colours, patterns };
}

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/** Draws all boxes, parents first. `isSought`: matches the search; the others are dimmed. */
export function paint(brush: Brush, boxes: readonly Box[], isSought: ((leaf: Leaf) => boolean) | null): void {
  const { context, colours } = brush;
  context.textBaseline = "middle";
  for (const box of boxes) {
    if (box.open) paintFolder(brush, box);
    else paintLeaf(brush, box, isSought);
  }
  context.globalAlpha = 1;
  context.fillStyle = colours.text;
}

function paintFolder({ context, colours }: Brush, { x, y, w, h, item, depth, header }: Box): void {
  context.globalAlpha = 1;
  context.fillStyle = colours.ground[depth % 2] ?? colours.ground[0];
  context.fillRect(x + 0.5, y + 0.5, w - 1, h - 1);
  if (header === 0) return;
  context.fillStyle = colours.text;
  context.font = `600 11px ${FONT}`;
  context.fillText(fitting(context, item.name, w - 10), x + 5, y + header / 2 + 1);
}

function paintLeaf(brush: Brush, { x, y, w, h, item }: Box, isSought: ((leaf: Leaf) => boolean) | null): void {
  const { context, colours, patterns } = brush;
  const shade = item.kind === "file" ? item.file.drift : worst(item.counts);
  const gap = w > 8 && h > 8 ? 0.5 : 0.25;
  const stepsBack = isSought !== null && !(item.kind === "file" && isSought(item));
  context.globalAlpha = stepsBack ? 0.16 : 1;
  context.fillStyle = colours.fill[shade];
  context.fillRect(x + gap, y + gap, w - 2 * gap, h - 2 * gap);
  const pattern = patterns.get(shade);
  if (pattern !== undefined && w > 5 && h > 5) {
    context.fillStyle = pattern;
    context.fillRect(x + gap, y + gap, w - 2 * gap, h - 2 * gap);
  }
  if (w < 44 || h < 16) return;
  context.font = `11px ${FONT}`;
  const text = fitting(context, item.name, w - 10);
  if (text === "") return;
  if (pattern !== undefined) {
    // A background, so that the strokes do not cross the letters.
    context.fillStyle = colours.fill[shade];
    context.fillRect(x + 2, y + 2, context.measureText(text).width + 6, 15);
  }
  context.fillStyle = colours.ink[shade];
  context.fillText(text, x + 5, y + 10);
}

/** As much of the start of a name as fits. Empty if that would be less than two letters. */
function fitting(context: CanvasRenderingContext2D, name: string, room: number): string {
  // No letter of the font is narrower than 2 px: longer text need not be measured.
  const whole = shown(name.slice(0, Math.ceil(room / 2)));
  const width = context.measureText(whole).width;
  if (width <= room) return whole;
  let text = `${whole.slice(0, Math.floor((whole.length * room) / width))}…`;
  while (text.length > 2 && context.measureText(text).width > room) text = `${text.slice(0, -2)}…`;
  return text.length > 2 ? text : "";
}
