import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { REAL_CLIENTS, type RealClient } from "./clients.js";
import type { Expectation } from "./common.js";
import { EXPECTATIONS } from "./expectations.js";
import { type ClientResults, type Outcome, resultTable, type Tried, writeResults } from "./page.js";
import { openScene } from "./scene.js";

/**
 * `npm run test:clients [-- --latest] [--only NAMES] [--expect PART] [--write]`: the real agents against a model on loopback. Not part of
 * `npm test`: they come from the registry, and a new version of theirs is no defect of ours. `--write`: the results of these clients go into docs/agents.md.
 */
const { latest, only, expect, verbose, write } = parseArgs({
  options: {
    latest: { type: "boolean", default: false },
    only: { type: "string" },
    expect: { type: "string", default: "" },
    verbose: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
}).values;
if (write && expect !== "") throw new Error("--write takes all expectations of a client");

/** Outside of the project: some hundred megabytes each. */
const CACHE = process.env.UA_HOOKS_CLIENTS ?? join(homedir(), ".cache", "ua-hooks-clients");
/** The published build: import.meta.dirname is dist/ (scripts/build.mjs). */
const PROGRAM = join(import.meta.dirname, "cli.cjs");
const ROOT = join(import.meta.dirname, "..");

/** Where the client's program is, or why it cannot be had. */
function fetchClient({
  name,
  package: wanted,
  version,
  bin,
  native,
}: RealClient): { bin: string; version: string } | string {
  const folder = join(CACHE, `${name}-${latest ? "latest" : version}`);
  const program = join(folder, "node_modules", ".bin", bin);
  if (latest || !existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", `${wanted}@${latest ? "latest" : version}`];
    const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8", timeout: 900_000 });
    if (status !== 0) return `npm install failed: ${error?.message ?? stderr.trim().slice(-300)}`;
  }
  const started = versionOf(program, folder);
  return typeof started === "string" && native !== undefined
    ? versionOf(join(folder, "node_modules", native), folder)
    : started;
}

function versionOf(program: string, folder: string): { bin: string; version: string } | string {
  const { status, stdout, stderr, error } = spawnSync(program, ["--version"], {
    ...{ encoding: "utf8", timeout: 120_000, cwd: folder },
    env: { HOME: folder, PATH: process.env.PATH ?? "" },
  });
  if (status !== 0) return `it does not start: ${error?.message ?? stderr.trim().slice(-300)}`;
  return { bin: program, version: /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? "?" };
}

async function check(client: RealClient, bin: string, { run }: Expectation): Promise<Tried> {
  const scene = await openScene(client, bin, PROGRAM);
  try {
    const limit = await run(scene);
    return limit === undefined ? { result: "ok", log: scene.log } : { result: "limit", why: limit };
  } catch (error) {
    const said = scene.model.unknown.filter((line) => line.startsWith("failed"));
    return { result: "failed", why: [...said, error instanceof Error ? error.message : String(error)].join("\n") };
  } finally {
    await scene.close();
  }
}

/** A hook that has no answer within a second leaves it to the next event: on a loaded machine a try may fail. */
const MOST_TRIES = 4;

async function checkAgain(client: RealClient, bin: string, expectation: Expectation): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await check(client, bin, expectation);
    if (outcome.result !== "failed" || tries === MOST_TRIES) return { ...outcome, tries };
  }
}

async function checkClient(client: RealClient): Promise<ClientResults> {
  const outcomes: Record<string, Outcome> = {};
  const got = fetchClient(client);
  const due = EXPECTATIONS.filter(
    ({ name, clients }) => name.includes(expect) && clients?.includes(client.name) !== false,
  );
  for (const expectation of due) {
    const started = Date.now();
    const outcome = typeof got === "string" ? skipped(got) : await checkAgain(client, got.bin, expectation);
    outcomes[expectation.name] = outcome;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const version = typeof got === "string" ? "" : ` ${got.version}`;
    const tried = outcome.tries > 1 ? `, ${outcome.tries} tries` : "";
    const why = "why" in outcome ? `: ${verbose ? outcome.why : outcome.why.slice(0, 600)}` : "";
    process.stdout.write(
      `${client.name}${version}  ${outcome.result}  ${expectation.name} (${seconds} s${tried})${why}\n`,
    );
  }
  const title = typeof got === "string" ? client.title : `${client.title} ${got.version}`;
  return { name: client.name, title, commit: commitText(), outcomes };
}

function commitText(): string {
  const args = ["describe", "--always", "--abbrev=10", "--dirty=+", "--exclude=*"];
  return spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout.trim();
}

const skipped = (why: string): Outcome => ({ result: "skipped", why, tries: 0 });

const results: ClientResults[] = [];
for (const client of REAL_CLIENTS) {
  if (only !== undefined && !only.split(",").includes(client.name)) continue;
  results.push(await checkClient(client));
}
process.stdout.write(`\n${resultTable(results)}\n`);
if (write) writeResults(ROOT, results);
const all = results.flatMap(({ outcomes }) => Object.values(outcomes));
process.exit(all.some(({ result }) => result === "failed") ? 1 : 0);
