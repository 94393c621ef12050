import { countShades } from "../../src/report/files.js";
import type { Report, ReportFile, Shade } from "../../src/report/types.js";

/** A report of nothing in particular, to be changed where a test looks. */
export function reportOf(change: Partial<Report> = {}): Report {
  const files = change.files ?? [];
  return {
    schema: "ua-hooks.report/1",
    generatedAt: "2026-01-02T03:04:05.000Z",
    version: "0.0.0",
    project: {
      name: "harbour",
      worktree: ".",
      head: { commit: "a".repeat(40), branch: "main" },
      baseline: { commit: "a".repeat(40) },
      relation: "equal",
      commitsBehind: 0,
      commitsAhead: 0,
      dirtyFiles: 0,
    },
    status: "fresh",
    reason: "no known file has changed",
    pending: null,
    hooks: { installed: 4, missing: 0, warning: null },
    drift: countShades(files),
    files,
    uncovered: 0,
    history: null,
    runs: [],
    weeks: [],
    times: { execution: "detached", all: null, known: null, parsed: null, gitStatusMs: null },
    worktrees: [],
    records: { counts: { active: 0, stale: 0, historical: 0 }, stale: [] },
    descriptions: { bySource: [], byMonth: [], review: 0, tokensSavedBySharing: 0, filesPutBack: 0 },
    ...change,
  };
}

export function fileOf(path: string, drift: Shade = "none", change: Partial<ReportFile> = {}): ReportFile {
  return { path, bytes: 900, drift, oid: "b".repeat(40), ...change };
}

const AREAS = [
  "accounts",
  "billing",
  "cargo",
  "crews",
  "customs",
  "gates",
  "mail",
  "quays",
  "tides",
  "vessels",
  "weather",
];
const LAYERS = ["api", "core/model", "core/rules", "jobs", "store", "ui/forms", "ui/pages", "test"];

/** A large project that drifted in a few corners, the same every time. */
export function largeProject(count: number): ReportFile[] {
  let seed = 20_000;
  const roll = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return Array.from({ length: count }, (_, at) => {
    const area = AREAS[Math.floor((roll(1000) / 1000) ** 1.6 * AREAS.length)] ?? "mail";
    const layer = LAYERS[roll(LAYERS.length)] ?? "core";
    const bytes = Math.round(300 * Math.exp(roll(420) / 100));
    const importedBy = at < 30 ? [] : Array.from({ length: roll(4) }, () => roll(at));
    const path = `packages/${area}/${layer}/part${roll(14)}/file${at}.ts`;
    return fileOf(path, shadeFor(area, layer, roll(1000)), { bytes, importedBy });
  }).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function shadeFor(area: string, layer: string, dice: number): Shade {
  const busy = (area === "cargo" && layer.startsWith("core")) || area === "gates" ? 6 : 1;
  const bounds: [number, Shade][] = [
    [5, "interface"],
    [8, "new"],
    [10, "gone"],
    [28, "body"],
    [52, "cosmetic"],
  ];
  return bounds.find(([bound]) => dice < bound * busy)?.[1] ?? "none";
}

/** What a report of it says above the map. */
export function largeReport(count: number): Report {
  const files = largeProject(count);
  const drift = countShades(files);
  const [filesToReanalyze, deletedFiles] = [drift.interface + drift.new, drift.gone];
  const structural = filesToReanalyze + deletedFiles;
  const reason = `${structural} files have structural changes (more than 30): ${drift.new} new, ${deletedFiles} deleted, ${drift.interface} modified`;
  const lists = { filesToReanalyze, deletedFiles, dependents: 0, estimatedTokens: filesToReanalyze * 5200 };
  const each = Array.from({ length: 50 }, (_, at) => {
    const changed = 1 + ((at * 7) % 11);
    const needed = at % 3 === 0 ? Math.ceil(changed / 3) : 0;
    return {
      commit: "d".repeat(40),
      subject: `Change ${at}`,
      action: needed === 0 ? "SKIP" : "PARTIAL_UPDATE",
      changed,
      structural: needed,
    };
  });
  const [changedFiles, structuralFiles] = [sum(each.map((one) => one.changed)), sum(each.map((one) => one.structural))];
  const skip = each.filter(({ action }) => action === "SKIP").length;
  return reportOf({
    ...{ files, status: "pending", reason },
    pending: { action: "FULL_UPDATE", reason, state: "pending", generation: 3, ...lists },
    history: {
      ...{
        commits: 50,
        skip,
        partial: 50 - skip,
        architecture: 0,
        full: 0,
        zeroTokenShare: skip * 2,
        sourceCommits: 50,
        each,
      },
      ...{ changedFiles, structuralFiles, tokensNeeded: structuralFiles * 700 },
      tokensOfStructuralFiles: structuralFiles * 5200,
      tokensNotSpent: (changedFiles - structuralFiles) * 5200,
    },
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
