import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openState } from "../src/store/state.js";
import { makeFiles, REAL } from "./baseline.js";
import type { Part } from "./bench.js";
import type { Row } from "./measure.js";
import { git, installOurs, type Place } from "./repos.js";

/** Smaller than this share of the database are shown together. */
const LEAST_SHARE = 0.01;

/** What is on disk after install, against the source: state.db by table, and the files for other tools. */
export const diskRows: Part = async ({ base, quick }) => {
  const place = makeFiles(base, quick ? 5 : 20, REAL);
  installOurs(place);
  const source = sourceBytes(place);
  const found = [...(await tables(join(place.dir, ".git/ua-hooks"))), ...artefacts(place)];
  return found.map(([what, bytes]): Row => {
    const detail = `${(bytes / 2 ** 20).toFixed(1)} MB of ${(source / 2 ** 20).toFixed(1)} MB source`;
    return { what: `on disk, ${what} ÷ source`, ratio: bytes / source, bar: null, detail };
  });
};

function sourceBytes(place: Place): number {
  const lines = git(place, "ls-tree", "-r", "-l", "HEAD").trimEnd().split("\n");
  return lines.reduce((sum, line) => sum + Number(/\s(\d+)\t/.exec(line)?.[1] ?? 0), 0);
}

/** Each with its indexes, the largest first. */
async function tables(stateDir: string): Promise<[what: string, bytes: number][]> {
  const db = await openState(stateDir);
  try {
    const rows = db.all<{ name: string; bytes: number }>(
      `SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes FROM dbstat s JOIN sqlite_master m ON m.name = s.name
       GROUP BY m.tbl_name ORDER BY bytes DESC`,
    );
    const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
    const large = rows.filter(({ bytes }) => bytes >= all * LEAST_SHARE);
    const rest = all - large.reduce((sum, { bytes }) => sum + bytes, 0);
    return [
      ["state.db", all],
      ...large.map(({ name, bytes }): [string, number] => [`state.db: ${name}`, bytes]),
      ["state.db: other tables", rest],
    ];
  } finally {
    db.close();
  }
}

function artefacts({ dir }: Place): [what: string, bytes: number][] {
  const data = join(dir, ".understand-anything");
  const names = readdirSync(data).filter((name) => statSync(join(data, name)).size > 10_000);
  return names.map((name) => [name, statSync(join(data, name)).size]);
}
