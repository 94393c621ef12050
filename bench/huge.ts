import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import type { Row } from "./measure.js";
import { git } from "./repos.js";
import { commit, makeLarge, measured, pathOf } from "./scale.js";

const FILES = 70_000;
const MOST_MB = 1_000;

/** 70,000 files, whose graph is larger than the longest string of V8: every command works, in a gigabyte. Takes ten minutes. */
export const hugeRows: Part = async ({ base }) => {
  const place = makeLarge(base, { files: FILES, functionsEach: 10 });
  const rows: Row[] = [];
  const run = (what: string, ...args: string[]) => {
    const { ms, mb } = measured(place, ...args);
    const detail = `${Math.round(mb)} MB, ${(ms / 1000).toFixed(1)} s, once`;
    rows.push({ what: `70,000 files: memory of ${what} ÷ 1 GB`, ratio: mb / MOST_MB, bar: 1, detail });
  };
  const path = pathOf(FILES / 2);
  const result = join(base, "result.json");
  const node = { id: `file:${path}`, type: "file", name: "m", filePath: path, tags: [], complexity: "simple" };
  writeFileSync(result, JSON.stringify({ files: [path], nodes: [{ ...node, summary: "It says." }], edges: [] }));
  run("install", "install", "--yes");
  appendFileSync(join(place.dir, path), "export function added(): number {\n  return 1;\n}\n");
  commit(place, "added");
  run("status after a commit", "status");
  run("claim", "claim", "--json");
  run("apply", "apply", result);
  git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "checkout", "-q", "HEAD~1");
  run("status after a switch", "status");
  run("verify --against-clean", "verify", "--against-clean");
  run("report", "report", "--out", join(base, "report.html"));
  run("export", "export");
  run("uninstall", "uninstall", "--yes");
  return rows;
};
