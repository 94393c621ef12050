import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blobOid } from "../src/git/blobs.js";
import type { Bench } from "./bench.js";
import { aDescription, describeSome } from "./descriptions.js";
import { interleave, type Row, row, time } from "./measure.js";
import { cleanEnv, dist, git, installOurs, makeRepo, type Place } from "./repos.js";

const FILES = 500;
const AUTHORS = 50;
const MANY = 200_000;

/**
 * What sharing costs over smart HTTP on loopback. Node's own start is left out of the first two rows, and measured in the same
 * rounds: on loopback it alone takes longer than a fetch.
 */
export async function sharingRows(bench: Bench): Promise<Row[]> {
  const { place, end } = await servedRepo(bench.base);
  try {
    return [...(await exchangeRows(bench, place)), ...(bench.quick ? [] : await importRows(bench))];
  } finally {
    end();
  }
}

async function servedRepo(base: string): Promise<{ place: Place; end: () => void }> {
  const place = makeRepo(base, "shared", FILES);
  const hub = join(base, "hub.git");
  git(place, "init", "-q", "--bare", hub);
  git(place, "-C", hub, "config", "http.receivepack", "true");
  const server = spawn(process.execPath, [join(dist, "../test/fixtures/git-http.mjs"), base, join(base, "mode")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve) =>
    server.stdout.once("data", (text) => resolve(String(text).trim())),
  );
  git(place, "remote", "add", "origin", `http://127.0.0.1:${port}/hub.git`);
  git(place, "push", "-q", "-u", "origin", "main");
  git(place, "remote", "set-head", "origin", "main");
  installOurs(place);
  ua(place, "share", "on", "--yes", "--trust", "pushers");
  return { place, end: () => server.kill() };
}

function ua({ dir, env }: Place, ...args: string[]): number {
  return time(process.execPath, [join(dist, "cli.cjs"), ...args], { cwd: dir, env });
}

async function exchangeRows({ base, rounds }: Bench, place: Place): Promise<Row[]> {
  const other = { dir: join(base, "plain"), env: place.env };
  git(place, "clone", "-q", git(place, "remote", "get-url", "origin").trim(), other.dir);
  const samples = await interleave(rounds(31), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    fetch: () => time("git", ["fetch"], { cwd: other.dir, env: other.env }),
    pull: () => ua(place, "share", "pull"),
    push: () => pushOne(other),
    sync: async () => {
      await describeSome(place, 20);
      return ua(place, "share", "sync");
    },
  });
  const of = (name: string) => samples.get(name) ?? [];
  const beyondNode = (name: string) => of(name).map((ms, at) => Math.max(0, ms - (of("node")[at] ?? 0)));
  return [
    row("share pull, nothing new, without Node's start ÷ git fetch, nothing new", beyondNode("pull"), of("fetch"), 3),
    row(
      "share sync of 20 descriptions, without Node's start ÷ git push of one commit",
      beyondNode("sync"),
      of("push"),
      2,
    ),
    row("share pull, nothing new, all of it ÷ git fetch, nothing new", of("pull"), of("fetch"), null),
    row("share sync of 20 descriptions, all of it ÷ git push of one commit", of("sync"), of("push"), null),
  ];
}

function pushOne(place: Place): number {
  git(place, "commit", "-q", "--allow-empty", "-m", "one");
  return time("git", ["push", "-q"], { cwd: place.dir, env: place.env });
}

/** The refs of many authors in a remote, and one pull of a new clone. */
async function importRows({ base }: Bench): Promise<Row[]> {
  const reader = makeRepo(base, "reader", FILES);
  const hub = join(base, "many.git");
  git(reader, "init", "-q", "--bare", hub);
  git(reader, "remote", "add", "origin", hub);
  installOurs(reader);
  const file = join(base, "stream");
  writeFileSync(file, Array.from({ length: AUTHORS }, (_, author) => authorStream(author)).join(""));
  const read = ["-c", `git --git-dir="$0" fast-import --quiet < "$1"`, hub, file];
  time("sh", read, { cwd: base, env: reader.env });
  ua(reader, "share", "on", "--yes", "--trust", "pushers");
  const { ms, megabytes } = pullMeasured(reader, base);
  const what = `${MANY.toLocaleString("en")} descriptions of ${AUTHORS} authors, fetched and imported`;
  return [
    row(`${what} ÷ 10 s`, [ms], [10_000], 1),
    { what: "the same, peak memory ÷ 300 MB", ratio: megabytes / 300, bar: 1, detail: `${megabytes.toFixed(0)} MB` },
  ];
}

/** As git fast-import reads it: segments of 2,000, a commit each. */
function authorStream(author: number): string {
  const each = MANY / AUTHORS;
  const nothing = { bareHash: null, behaviour: null, isAside: false, language: null, author: null, commit: null };
  const parts: string[] = [];
  for (let from = 0; from < each; from += 2_000) {
    const rows = Array.from({ length: Math.min(2_000, each - from) }, (_, at) =>
      aDescription(author * each + from + at),
    );
    const lines = rows.map(
      ({ key, ...rest }) => `${JSON.stringify({ ...key, ...nothing, ...rest, source: "here" })}\n`,
    );
    const text = Buffer.from(lines.join(""));
    parts.push(
      `commit refs/ua-hooks/descriptions/v1/a${author}\ncommitter ua-hooks <a@invalid> 1700000000 +0000\ndata 1\nx\n`,
      `deleteall\nM 100644 inline ${blobOid(text, 40)}.jsonl\ndata ${text.length}\n${text.toString("utf8")}\n`,
    );
  }
  return parts.join("");
}

function pullMeasured({ dir, env }: Place, base: string): { ms: number; megabytes: number } {
  const [peak, note] = [join(base, "peak"), join(base, "peak.cjs")];
  const write = `require("fs").writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(note, `process.on("exit", () => ${write});`);
  const args = ["--require", note, join(dist, "cli.cjs"), "share", "pull"];
  const ms = time(process.execPath, args, { cwd: dir, env });
  return { ms, megabytes: Number(readFileSync(peak, "utf8")) / 1024 };
}
