export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/**
 * Squarified treemap (Bruls, Huizing, van Wijk 2000): rectangles of the given areas, largest first, each as close to a
 * square as possible. The weights must be descending and above zero; the result fills `rect`.
 */
export function squarify(weights: readonly number[], rect: Rect): Rect[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const scale = (rect.w * rect.h) / total;
  const placed: Rect[] = [];
  let free = { ...rect };
  for (let start = 0; start < weights.length; ) {
    const side = Math.min(free.w, free.h);
    const { end, area } = rowFrom(weights, start, side, scale);
    const isLast = end === weights.length;
    const across = free.w >= free.h;
    const depth = isLast ? Math.max(free.w, free.h) : side > 0 ? area / side : 0;
    let along = 0;
    for (let at = start; at < end; at++) {
      const length = area > 0 ? (((weights[at] ?? 0) * scale) / area) * side : 0;
      placed.push(
        across
          ? { x: free.x, y: free.y + along, w: depth, h: length }
          : { x: free.x + along, y: free.y, w: length, h: depth },
      );
      along += length;
    }
    free = across
      ? { x: free.x + depth, y: free.y, w: Math.max(0, free.w - depth), h: free.h }
      : { x: free.x, y: free.y + depth, w: free.w, h: Math.max(0, free.h - depth) };
    start = end;
  }
  return placed;
}

/** As many as fit without making the row's worst rectangle worse. */
function rowFrom(weights: readonly number[], start: number, side: number, scale: number) {
  const largest = (weights[start] ?? 0) * scale;
  let area = 0;
  let worst = Number.POSITIVE_INFINITY;
  let end = start;
  for (; end < weights.length; end++) {
    const one = (weights[end] ?? 0) * scale;
    const sum = area + one;
    const next = Math.max((side * side * largest) / (sum * sum), (sum * sum) / (side * side * one));
    if (next > worst) break;
    worst = next;
    area = sum;
  }
  // If sizes are too small for floating point, one at a time.
  return end === start ? { end: start + 1, area: largest } : { end, area };
}
