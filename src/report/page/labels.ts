import { printable } from "../../printable.js";
import type { Shade } from "../types.js";

/** The name and the meaning of each shade. */
export const LABELS: Record<Shade, { name: string; means: string }> = {
  none: { name: "fresh", means: "The description was made for this content." },
  cosmetic: { name: "cosmetic", means: "Comments or layout changed. The description is still correct." },
  body: { name: "body", means: "Code inside functions changed, no signature did. The description still applies." },
  behaviour: { name: "behaviour", means: "What a function does may have changed: the description may be false." },
  interface: { name: "interface", means: "The interface changed: the file has to be analysed again." },
  new: { name: "new", means: "It is not described yet." },
  gone: { name: "gone", means: "It is described, but was deleted." },
  unknown: { name: "unknown", means: "It was not compared. That does not mean fresh." },
};

const numbers = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const number = (n: number) => numbers.format(n);
export const short = (n: number) => (n < 10_000 ? numbers.format(n) : compact.format(n));
export const oid = (text: string | null) => (text === null ? "none" : text.slice(0, 10));
export const count = (n: number, thing: string) => `${number(n)} ${thing}${n === 1 ? "" : "s"}`;
export const shown = printable;

export function bytes(n: number | null): string {
  if (n === null) return "";
  if (n < 1000) return `${n} B`;
  return n < 1_000_000 ? `${(n / 1000).toFixed(1)} kB` : `${(n / 1_000_000).toFixed(1)} MB`;
}

export function milliseconds(ms: number): string {
  return ms < 1000 ? `${number(Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const two = (n: number) => String(n).padStart(2, "0");

/** In local time; an invalid time is shown as it is. */
export function day(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return shown(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function clock(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** SKIP, PARTIAL_UPDATE … as shown to users. */
const ACTIONS: Record<string, string> = {
  SKIP: "nothing to do",
  PARTIAL_UPDATE: "partial update",
  ARCHITECTURE_UPDATE: "architecture update",
  FULL_UPDATE: "full update",
};

export function action(name: string | null): string {
  return name === null ? "no decision" : (ACTIONS[name] ?? shown(name));
}

/** How much work a decision requires, as a CSS class. */
export function weightOf(name: string | null): string {
  if (name === "SKIP") return "calm";
  if (name === "PARTIAL_UPDATE") return "some";
  return name === null ? "quiet" : "much";
}

/** Where a description came from. */
export const SOURCES: Record<string, string> = {
  here: "written in this clone",
  shared: "shared by other clones",
  tracked: "from committed files",
};
