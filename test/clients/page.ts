import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { between, table } from "../../bench/tables.js";
import { EXPECTATIONS } from "./expectations.js";

export type Tried = { result: "ok"; log: readonly string[] } | { result: "limit" | "failed" | "skipped"; why: string };
export type Outcome = Tried & { tries: number };

export interface ClientResults {
  /** Its name, as people write it, with its version. */
  title: string;
  outcomes: ReadonlyMap<string, Outcome>;
}

export function resultTable(results: readonly ClientResults[]): string {
  const limits: string[] = [];
  const cell = (outcome: Outcome | undefined) => {
    if (outcome === undefined) return "";
    if (outcome.result !== "limit") return outcome.result;
    if (!limits.includes(outcome.why)) limits.push(outcome.why);
    return `limit ${limits.indexOf(outcome.why) + 1}`;
  };
  const tried = EXPECTATIONS.filter(({ name }) => results.some(({ outcomes }) => outcomes.has(name)));
  const rows = tried.map(({ name }) => [name, ...results.map(({ outcomes }) => cell(outcomes.get(name)))]);
  const lines = limits.map((why, at) => `Limit ${at + 1}: ${why}.`);
  return [table(["expectation", ...results.map(({ title }) => title)], rows), ...lines].join("\n\n");
}

/** One whole loop of each client, by shell and by MCP. */
function loops(results: readonly ClientResults[]): string {
  const blocks = results.map(({ title, outcomes }) => {
    const logs = [...outcomes].flatMap(([name, outcome]) =>
      outcome.result === "ok" && outcome.log.length > 0
        ? [`${title}, ${name}`, ...outcome.log.map((line) => `  ${line}`)]
        : [],
    );
    return logs.join("\n");
  });
  return `\`\`\`text\n${blocks.filter((block) => block !== "").join("\n\n")}\n\`\`\``;
}

/** What a whole run has shown, into docs/agents.md. */
export function writeResults(root: string, results: readonly ClientResults[]): void {
  const page = join(root, "docs", "agents.md");
  const text = between(readFileSync(page, "utf8"), "clients table", resultTable(results));
  writeFileSync(page, between(text, "clients loops", loops(results)));
}
