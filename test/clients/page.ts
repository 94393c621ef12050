import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { between, table } from "../../bench/tables.js";
import { REAL_CLIENTS } from "./clients.js";
import { EXPECTATIONS } from "./expectations.js";

export type Tried = { result: "ok"; log: readonly string[] } | { result: "limit" | "failed" | "skipped"; why: string };
export type Outcome = Tried & { tries: number };

export interface ClientResults {
  name: string;
  /** Its name, as people write it, with its version. */
  title: string;
  /** Of ua-hooks, in short; with a plus sign where files differ from it. */
  commit: string;
  outcomes: Readonly<Record<string, Outcome>>;
}

export function resultTable(results: readonly ClientResults[]): string {
  const limits: string[] = [];
  const cell = (outcome: Outcome | undefined) => {
    if (outcome === undefined) return "";
    if (outcome.result !== "limit") return outcome.result;
    if (!limits.includes(outcome.why)) limits.push(outcome.why);
    return `limit ${limits.indexOf(outcome.why) + 1}`;
  };
  const tried = EXPECTATIONS.filter(({ name }) => results.some(({ outcomes }) => name in outcomes));
  const rows = tried.map(({ name }) => [name, ...results.map(({ outcomes }) => cell(outcomes[name]))]);
  const lines = limits.map((why, at) => `Limit ${at + 1}: ${why}.`);
  const commits = ["ua-hooks at", ...results.map(({ commit }) => commit)];
  return [table(["expectation", ...results.map(({ title }) => title)], [...rows, commits]), ...lines].join("\n\n");
}

/** One whole loop of each client, by shell and by MCP. */
function loops(results: readonly ClientResults[]): string {
  const blocks = results.map(({ title, outcomes }) => {
    const logs = Object.entries(outcomes).flatMap(([name, outcome]) =>
      outcome.result === "ok" && outcome.log.length > 0
        ? [`${title}, ${name}`, ...outcome.log.map((line) => `  ${line}`)]
        : [],
    );
    return logs.join("\n");
  });
  return `\`\`\`text\n${blocks.filter((block) => block !== "").join("\n\n")}\n\`\`\``;
}

/** What the clients have shown, into docs/agents.md. A client that was not tried keeps what it has shown before. */
export function writeResults(root: string, tried: readonly ClientResults[]): void {
  const stored = join(root, "test", "clients", "results.json");
  const before = JSON.parse(readFileSync(stored, "utf8")) as ClientResults[];
  const results = REAL_CLIENTS.flatMap(({ name }) => {
    const found = [...tried, ...before].find((one) => one.name === name);
    return found === undefined ? [] : [found];
  });
  writeFileSync(stored, `${JSON.stringify(results, null, 2)}\n`);
  const page = join(root, "docs", "agents.md");
  writeFileSync(page, pageWithResults(readFileSync(page, "utf8"), results));
}

export function pageWithResults(page: string, results: readonly ClientResults[]): string {
  return between(between(page, "clients table", resultTable(results)), "clients loops", loops(results));
}
