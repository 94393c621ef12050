import { type ContextItem, KINDS, type StatementKind } from "./extract.js";

export const SECTIONS = [
  "Key Decisions",
  "Important Discoveries",
  "Blockers & Resolutions",
  "Technical Context",
  "User Requirements",
] as const;
export type Section = (typeof SECTIONS)[number];

/** A technical choice that comes with its rationale is a decision; one without is context. */
export function sectionOf({ kind, why }: Pick<ContextItem, "kind" | "why">): Section {
  if (kind === "Discovery") return "Important Discoveries";
  if (kind === "Requirement" || kind === "Constraint") return "User Requirements";
  return kind === "Technical" && why === null ? "Technical Context" : "Key Decisions";
}

export interface Placed extends ContextItem {
  section: Section;
}

/** Appends new items to their sections; returns the text and the added items. Items that exist already are skipped. */
export function appendItems(text: string, items: readonly Placed[]): { text: string; added: Placed[] } {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.replaceAll("\r\n", "\n").replace(/\n+$/, "").split("\n");
  if (lines.length === 1 && lines[0] === "") lines.pop();
  const known = normal(text);
  const added = items.filter(({ what }) => !known.includes(normal(what)));
  if (added.length === 0) return { text, added };
  for (const section of SECTIONS) {
    const mine = added.filter((item) => item.section === section);
    if (mine.length > 0) insert(lines, section, mine);
  }
  return { text: `${lines.join(eol)}${eol}`, added };
}

function insert(lines: string[], section: Section, items: readonly Placed[]): void {
  const sorted = items.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const heading = `### [${stamp(sorted[0]?.at ?? new Date())}] Context Update`;
  let end = endOf(lines, section);
  if (end === null) {
    if (lines.length > 0) lines.push("");
    lines.push(`## ${section}`);
    end = lines.length;
  }
  let last = end;
  while (last > 0 && lines[last - 1]?.trim() === "") last--;
  const isSame = lastHeading(lines, last) === heading;
  const block = [...(isSame ? [] : ["", heading, ""]), ...sorted.map(toLine)];
  lines.splice(last, end - last, ...block, ...(end < lines.length ? [""] : []));
}

/** Where a section ends: at the next heading of its level, or at the end of the file. null if it does not exist. */
function endOf(lines: readonly string[], section: Section): number | null {
  let start: number | null = null;
  let isCode = false;
  for (const [at, line] of lines.entries()) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    if (start !== null && /^##? /.test(line)) return at;
    if (line.trim() === `## ${section}`) start = at;
  }
  return start === null ? null : lines.length;
}

function lastHeading(lines: readonly string[], before: number): string | null {
  for (let at = before - 1; at >= 0; at--) if (/^#{1,6} /.test(lines[at] ?? "")) return lines[at]?.trim() ?? null;
  return null;
}

export function toLine({ kind, what, why, at }: ContextItem): string {
  const label = KINDS[kind];
  return `- [${stamp(at).slice(-5)}] ${kind}: ${what}${why === null || label === null ? "" : ` | ${label}: ${why}`}`;
}

/** In local time. */
function stamp(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function normal(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
}

export interface ContextLine {
  kind: StatementKind;
  what: string;
  why: string | null;
}

/** The lines of a context file that have the form of our updates. */
export function readLines(text: string): ContextLine[] {
  const kinds = Object.keys(KINDS).join("|");
  const pattern = new RegExp(`^- \\[[^\\]]*\\] (${kinds}): (.+?)(?: \\| \\w+: (.+))?$`);
  return text.split(/\r?\n/).flatMap((line) => {
    const [, kind, what, why] = pattern.exec(line) ?? [];
    return kind === undefined || what === undefined ? [] : [{ kind: kind as StatementKind, what, why: why ?? null }];
  });
}
