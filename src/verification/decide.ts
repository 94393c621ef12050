import type { Config } from "../repository/config.js";
import { type AskedFiles, isAsked } from "./asked.js";
import type { Rename } from "./renames.js";
import type { PathVerdict } from "./verdicts.js";

export type Action = "SKIP" | "PARTIAL_UPDATE" | "ARCHITECTURE_UPDATE" | "FULL_UPDATE";

export interface Decision {
  action: Action;
  reason: string;
  filesToReanalyze: string[];
  deletedFiles: string[];
  rerunArchitecture: boolean;
  rerunTour: boolean;
}

export interface DecisionInput {
  verdicts: readonly PathVerdict[];
  renames: readonly Rename[];
  /** By path; without it, everything that is structural is asked about. */
  asked?: AskedFiles;
  /** Distinct file paths of the graph's file nodes. */
  graphFiles: number;
  /** Whether the knowledge has other files in a top-level directory than the given ones. */
  hasDirectory(directory: string, except: ReadonlySet<string>): boolean;
}

/** With fewer files a share means nothing: a small project would always be rebuilt completely. */
const FULL_SHARE_FLOOR = 6;

/** Phase 1 (docs/glossary.md; the thresholds are in docs/config.md). FULL_UPDATE is reported, and never starts automatically. */
export function decide(situation: DecisionInput, { thresholds }: Pick<Config, "thresholds">): Decision {
  const { asked, renames } = situation;
  const isOpen = ({ filePath, drift }: PathVerdict) =>
    asked === undefined ||
    drift === "gone" ||
    isAsked(asked.get(filePath)) ||
    renames.some(({ to }) => to === filePath);
  const verdicts = situation.verdicts.filter((one) => one.changeLevel !== "STRUCTURAL" || isOpen(one));
  const structural = verdicts.filter((verdict) => verdict.changeLevel === "STRUCTURAL");
  const inside = verdicts.filter(
    ({ changeLevel, filePath }) => changeLevel !== "STRUCTURAL" && isAsked(asked?.get(filePath)),
  );
  const listed = new Set([...structural, ...inside].map(({ filePath }) => filePath));
  const pending = verdicts.filter(({ filePath }) => listed.has(filePath));
  const deletedFiles = pending.filter(({ drift }) => drift === "gone").map(({ filePath }) => filePath);
  const filesToReanalyze = pending.filter(({ drift }) => drift !== "gone").map(({ filePath }) => filePath);
  const lists = { filesToReanalyze, deletedFiles };
  const rerun = (yes: boolean) => ({ rerunArchitecture: yes, rerunTour: yes });

  const count = structural.length;
  const changed = insideReason(inside, situation);
  if (count === 0) {
    const action = inside.length === 0 ? "SKIP" : "PARTIAL_UPDATE";
    return { action, reason: changed ?? skipReason(situation.verdicts), ...lists, ...rerun(false) };
  }

  const what = `${count} ${count === 1 ? "file has" : "files have"} structural changes`;
  const mix = [describe(verdicts), ...(changed === null ? [] : [changed])].join("; ");
  const share = situation.graphFiles > 0 ? count / situation.graphFiles : 0;
  const tooMany = count > thresholds.full;
  if (tooMany || (share > thresholds.fullShare && count >= FULL_SHARE_FLOOR)) {
    const why = tooMany ? `more than ${thresholds.full}` : `${Math.round(share * 100)} % of the graph`;
    return { action: "FULL_UPDATE", reason: `${what} (${why}): ${mix}`, ...lists, ...rerun(true) };
  }
  const directory = changedDirectory(situation, filesToReanalyze, deletedFiles);
  if (directory !== null || count > thresholds.architecture) {
    const why = directory ?? `more than ${thresholds.architecture}`;
    return { action: "ARCHITECTURE_UPDATE", reason: `${what} (${why}): ${mix}`, ...lists, ...rerun(true) };
  }
  return { action: "PARTIAL_UPDATE", reason: `${what}: ${mix}`, ...lists, ...rerun(false) };
}

/** "2 symbols changed behaviour": of files that did not change in structure. */
function insideReason(inside: readonly PathVerdict[], { asked }: DecisionInput): string | null {
  const symbols = inside.flatMap(({ filePath }) => asked?.get(filePath)?.symbols ?? []);
  if (symbols.length === 0) return null;
  const how = symbols.every(({ change }) => change === "behaviour") ? " behaviour" : "";
  return `${symbols.length} ${symbols.length === 1 ? "symbol" : "symbols"} changed${how}`;
}

function skipReason(verdicts: readonly PathVerdict[]): string {
  if (verdicts.length === 0) return "no known file has changed";
  const inside = verdicts.filter(({ drift }) => drift === "behaviour").length;
  const where = `${inside} ${inside === 1 ? "file" : "files"}`;
  const behaviour = inside === 0 ? "" : `; behaviour changed in ${where}, and no model is asked`;
  return `${verdicts.length} ${verdicts.length === 1 ? "file has" : "files have"} changes without structural impact${behaviour}`;
}

function describe(verdicts: readonly PathVerdict[]): string {
  const count = (drift: string) => verdicts.filter((v) => v.changeLevel === "STRUCTURAL" && v.drift === drift).length;
  const parts: [number, string][] = [
    [count("new"), "new"],
    [count("gone"), "deleted"],
    [count("interface"), "modified"],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([n, word]) => `${n} ${word}`)
    .join(", ");
}

/** The top-level directory that was added or removed. */
function changedDirectory(
  situation: DecisionInput,
  present: readonly string[],
  deleted: readonly string[],
): string | null {
  const left = new Set([...deleted, ...situation.renames.map(({ from }) => from)]);
  const arrived = [...present, ...situation.renames.map(({ to }) => to)];
  const directories = (paths: Iterable<string>) =>
    new Set(Array.from(paths, topDirectory).filter((one) => one !== null));
  const still = directories(arrived);
  for (const directory of still) {
    if (!situation.hasDirectory(directory, new Set())) return `directory ${directory}/ was added`;
  }
  for (const directory of directories(left)) {
    if (!still.has(directory) && !situation.hasDirectory(directory, left)) return `directory ${directory}/ was removed`;
  }
  return null;
}

export function topDirectory(path: string): string | null {
  const slash = path.indexOf("/");
  return slash < 0 ? null : path.slice(0, slash);
}
