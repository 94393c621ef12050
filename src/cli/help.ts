import type { Command } from "./command.js";
import { paint, table } from "./output.js";

/** A command that no group names is in the last one. */
const GROUPS: Record<string, readonly string[]> = {
  "Every day": ["install", "status", "pending", "run", "pause", "resume", "doctor", "uninstall"],
  "To understand a decision": ["why", "check", "replay", "report", "log", "verify"],
  "With coding agents": ["claim", "apply", "ack", "release", "mcp", "trust"],
  "With a team": ["share", "export", "import"],
  More: [],
};

export async function generalHelp(commands: Record<string, () => Promise<Command>>): Promise<string> {
  const rows = new Map<string, string[]>();
  for (const [name, load] of Object.entries(commands)) {
    const { hidden, summary } = await load();
    if (hidden !== true) rows.set(name, [`  ${name}`, summary]);
  }
  const grouped = new Set(Object.values(GROUPS).flat());
  const groups = Object.entries(GROUPS).map(([heading, names]) => {
    const all = names.length > 0 ? names : [...rows.keys()].filter((name) => !grouped.has(name));
    return { heading, rows: all.flatMap((name) => [rows.get(name) ?? []]) };
  });
  const widest = [...rows.keys()].reduce((most, name) => Math.max(most, name.length + 2), 0);
  const padded = ([name = "", ...rest]: string[]) => [name.padEnd(widest), ...rest];
  return [
    "ua-hooks: git hooks that keep what coding agents know about a codebase true",
    "",
    `${paint("bold", "Usage:")} ua-hooks <command> [options]`,
    ...groups.flatMap((group) => ["", paint("bold", group.heading), ...table(group.rows.map(padded))]),
    "",
    "Every command accepts --json, --cwd DIR, --help and --debug.",
  ].join("\n");
}

export function commandHelp(name: string, command: Command): string {
  const options = Object.entries(command.help).map(([option, meaning]) => [`  ${option}`, meaning]);
  const common = [
    ["  --json", "one JSON document on stdout"],
    ["  --cwd DIR", "run as if started in DIR"],
  ];
  return [
    command.summary,
    "",
    `${paint("bold", "Usage:")}   ua-hooks ${name}${command.usage === "" ? "" : ` ${command.usage}`}`,
    `${paint("bold", "Example:")} ${command.example}`,
    "",
    ...table([...options, ...common]),
  ].join("\n");
}
