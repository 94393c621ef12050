import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { interleave, row, time } from "./measure.js";
import { CHANGED, cleanEnv, dist, git, hookAfterEdit, installOurs, makeRepo, type Place } from "./repos.js";

const FILES = 5_000;
const RECORDS = 10_000;
const cli = join(dist, "cli.cjs");

/** Ten thousand records on five thousand files: what a question costs, and what a hook does. */
export const recordRows: Part = async ({ base, rounds }) => {
  const many = makeRepo(base, "records-many", FILES);
  const few = makeRepo(base, "records-few", FILES);
  for (const place of [many, few]) installOurs(place);
  importRecords(many, RECORDS);
  importRecords(few, 10);
  const ask = ({ dir, env }: Place, path: string) =>
    time(process.execPath, [cli, "record", "relevant", path], { cwd: dir, env });
  await settled();
  const samples = await interleave(rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    file: () => ask(many, "src/d7/f777.ts"),
    symbol: () => ask(many, "src/d7/f778.ts#f778"),
    hookMany: () => hookAfterEdit(many),
    hookFew: () => hookAfterEdit(few),
    list: () => time(process.execPath, [cli, "record", "list", "--limit", "1"], { cwd: many.dir, env: many.env }),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("record relevant <file>, 10,000 records on 5,000 files ÷ node -e 0", of("file"), of("node"), 2),
    row("record relevant <file>#<symbol>, the same ÷ node -e 0", of("symbol"), of("node"), 2),
    row("hook, one changed file, 10,000 records ÷ 10 records", of("hookMany"), of("hookFew"), 1.3),
    row("record list, all 10,000 compared ÷ node -e 0", of("list"), of("node"), null),
  ];
};

/** A file that was written within the last two seconds is hashed anew at each look; that is not what is measured. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2_500));
}

/** Two records a file, one about the file and one about its function, in the form of an export; the changed file's first. */
export function importRecords(place: Place, count: number): void {
  const head = git(place, "rev-parse", "HEAD").trim();
  const blobs = git(place, "ls-tree", "-r", "HEAD")
    .trimEnd()
    .split("\n")
    .map((line) => /^\S+ blob (\S+)\t(.*)$/.exec(line) ?? [])
    .map(([, oid = "", path = ""]) => ({ oid, path }));
  blobs.sort((a, b) => (a.path === CHANGED ? -1 : b.path === CHANGED ? 1 : 0));
  const lines = Array.from({ length: count }, (_, at) => {
    const { oid, path } = blobs[Math.floor(at / 2) % blobs.length] ?? { oid: "", path: "" };
    const symbol = at % 2 === 0 ? "" : (/f\d+/.exec(path.slice(path.lastIndexOf("/")))?.[0] ?? "");
    const now = new Date(1_700_000_000_000 + at * 1000).toISOString();
    const kind = symbol === "" ? "path" : "symbol";
    const code_fingerprint = symbol === "" ? `blob:${oid}` : "symbol:00";
    return JSON.stringify({
      ...{ id: `r-${String(at).padStart(12, "0")}`, type: "decision", statement: `What ${path} is about, part ${at}` },
      ...{ status: "active", confidence: 0.5, origin: "human", created_at: now, updated_at: now },
      ...{ created_at_commit: head, subjects: [{ kind, path, symbol, code_fingerprint, blob: oid, extractor: null }] },
    });
  });
  const file = join(place.dir, ".git", "records.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  time(process.execPath, [cli, "record", "import", file], { cwd: place.dir, env: place.env });
}
