import type { ParseArgsConfig } from "node:util";
import type { Out } from "./output.js";

type Options = NonNullable<ParseArgsConfig["options"]>;
export type Flags = Record<string, string | boolean | (string | boolean)[] | undefined>;

export interface Invocation {
  cwd: string;
  flags: Flags;
  positionals: string[];
  out: Out;
}

/** One command: its help, its arguments and its function, which returns the exit status. */
export interface Command {
  summary: string;
  usage: string;
  example: string;
  options: Options;
  /** What the options mean, for help. */
  help: Record<string, string>;
  positionals?: boolean;
  /** Where an option means something else for one verb: the arguments as the parser can read them. */
  rewrite?(args: string[]): string[];
  hidden?: boolean;
  /** What it does while it works, shown on a terminal after half a second; not where it asks, or has a bar of its own. */
  busy?: string | ((given: Pick<Invocation, "flags" | "positionals">) => string | undefined);
  run(invocation: Invocation): Promise<number>;
}
