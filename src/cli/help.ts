import type { Command } from "./command.js";
import { paint, table } from "./output.js";

export async function generalHelp(commands: Record<string, () => Promise<Command>>): Promise<string> {
  const rows: string[][] = [];
  for (const [name, load] of Object.entries(commands)) {
    const { hidden, summary } = await load();
    if (hidden !== true) rows.push([`  ${name}`, summary]);
  }
  return [
    "ua-hooks: git hooks that keep what coding agents know about a codebase up to date",
    "",
    `${paint("bold", "Usage:")} ua-hooks <command> [options]`,
    "",
    ...table(rows),
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
