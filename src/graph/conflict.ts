/** The two versions in a file that git could not merge, and with `merge.conflictStyle` diff3 the one before them. */
export interface ConflictSides {
  base: string | null;
  ours: string;
  theirs: string;
}

const marker = /^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/;

/**
 * Reads both sides of a text with conflict markers; null if it has none. A line of JSON never starts with
 * a marker: it is quoted or indented.
 *
 * <<<<<<< HEAD
 * ours
 * ||||||| base       (diff3 and zdiff3 only)
 * base
 * =======
 * theirs
 * >>>>>>> topic
 */
export function conflictSides(text: string): ConflictSides | null {
  if (!/^<{7}(?: |\r?$)/m.test(text)) return null;
  const sides: Record<"base" | "ours" | "theirs", string[]> = { base: [], ours: [], theirs: [] };
  let inside: keyof typeof sides | null = null;
  let hasBase = false;
  for (const line of text.split("\n")) {
    if (marker.test(line)) {
      inside = openedBy(line);
      hasBase ||= inside === "base";
    } else if (inside === null) {
      for (const side of Object.values(sides)) side.push(line);
    } else sides[inside].push(line);
  }
  const { base, ours, theirs } = sides;
  return { base: hasBase ? base.join("\n") : null, ours: ours.join("\n"), theirs: theirs.join("\n") };
}

function openedBy(line: string): "base" | "ours" | "theirs" | null {
  return line[0] === "<" ? "ours" : line[0] === "|" ? "base" : line[0] === "=" ? "theirs" : null;
}

/** Read in parts: most artefacts have none, and a graph can be larger than a text may be. */
export function hasMarkers(chunks: Iterable<Buffer>): boolean {
  let text = "\n";
  for (const chunk of chunks) {
    text = text.slice(-9) + chunk.toString("latin1");
    if (/\n<{7}[ \r\n]/.test(text)) return true;
  }
  return false;
}
