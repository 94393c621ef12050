/** A component file (Vue, Svelte, Astro): its scripts at their places, with blanks for all else, and that else. */
export interface ComponentParts {
  script: string;
  rest: string;
}

/** Everything is found by plain searches, from the start to the end once: nothing in a text makes it slow. */
export function componentParts(text: string, language: string): ComponentParts {
  const ranges = scriptRanges(text, language === "astro" ? frontMatter(text) : null);
  let script = "";
  let rest = "";
  let at = 0;
  for (const [start, end] of ranges) {
    script += blanks(text.slice(at, start)) + text.slice(start, end);
    rest += text.slice(at, start);
    at = end;
  }
  return { script: script + blanks(text.slice(at)), rest: rest + text.slice(at) };
}

const blanks = (text: string): string => text.replace(/[^\n]/g, " ");

type Range = [start: number, end: number];

/** Astro's code between the first two lines of dashes. */
function frontMatter(text: string): Range | null {
  const start = text.startsWith("---\n") ? 4 : text.startsWith("---\r\n") ? 5 : -1;
  const end = start < 0 ? -1 : text.indexOf("\n---", start - 1);
  return end < 0 ? null : [start, end + 1];
}

function scriptRanges(text: string, first: Range | null): Range[] {
  const ranges: Range[] = first === null ? [] : [first];
  const lower = text.toLowerCase();
  for (let at = first?.[1] ?? 0; ; ) {
    const tag = lower.indexOf("<script", at);
    const start = tag < 0 ? -1 : lower.indexOf(">", tag) + 1;
    const end = start <= 0 ? -1 : lower.indexOf("</script", start);
    if (end < 0) return ranges;
    if (text[start - 2] !== "/") ranges.push([start, end]);
    at = end;
  }
}

/** Without what no reader sees: line ends, blanks at the end of a line, blank lines. */
export function visibleLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}
