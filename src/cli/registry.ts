import { UaError } from "../errors.js";
import { workState } from "../git/status.js";
import type { RegistryOptions } from "../registry/ask.js";
import { type Context, withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import type { Command, Flags, Invocation } from "./command.js";
import { verbOf } from "./suggest.js";

/** Each verb with the options that it accepts. */
const VERBS = {
  ls: ["md5", "type"],
  show: ["md5"],
  verify: ["md5", "all", "rehash", "exit-code"],
  stale: ["all", "exit-code"],
  "update-summaries": ["commit", "exit-code"],
} satisfies Record<string, readonly string[]>;
type VerbName = keyof typeof VERBS;
const VERB_NAMES = Object.keys(VERBS) as VerbName[];

export const registry: Command = {
  summary: "all files of this worktree, and their summaries",
  busy: "reading",
  usage: "ls [PATH…] | show PATH | verify | stale | update-summaries [FILE|-]",
  example: 'echo \'{"updates":[{"path":"src/a.ts","summary":"Adds."}]}\' | ua-hooks registry update-summaries',
  options: {
    ...{ md5: { type: "boolean" }, all: { type: "boolean" }, rehash: { type: "boolean" }, type: { type: "string" } },
    ...{ commit: { type: "string" }, conversation: { type: "string" }, "exit-code": { type: "boolean" } },
  },
  help: {
    "ls [PATH…]": "files, or those in folders, with the state of their summaries",
    "show PATH": "everything about one file",
    verify: "what changed since the last verification: match, mismatch, missing, new",
    stale: "summaries that were written for another content",
    "update-summaries [FILE|-]": '{ "updates": [{ "path", "summary" }] } from a file or standard input',
    "--md5": "include the md5 of each content",
    "--type T": "ls: only text, binary, lock or generated",
    "--all": "verify: also list files that match; stale: also files without a summary",
    "--rehash": "verify: hash every file, without trusting git's index",
    "--commit REV": "update-summaries: the commit whose files were touched (HEAD)",
    "--conversation ID": "id of the caller: within one conversation the registry is trusted until HEAD moves",
    "--exit-code": "exit 1 if something differs, is stale, or failed",
  },
  positionals: true,
  async run(invocation) {
    const [typed, ...rest] = invocation.positionals;
    const verb = verbOf("registry", VERB_NAMES, typed);
    refuseUnknown(verb, invocation.flags);
    const project = await projectAt(invocation.cwd);
    const asking = verb === "update-summaries" ? {} : askEarly(project, invocation.flags);
    const { verbs } = await import("./registry-verbs.js");
    return withContext(project, (context) => verbs[verb]({ ...invocation, positionals: rest }, context, asking));
  },
};

/** Starts git while the rest of the program is loaded. */
export function askEarly(project: Project, { conversation }: Flags): RegistryOptions {
  const state = workState(project.worktree.path);
  state.catch(() => {}); // reported where it is awaited
  return { state, run: typeof conversation === "string" ? conversation : null };
}

function refuseUnknown(verb: VerbName, flags: Flags): void {
  const allowed = new Set<string>([...VERBS[verb], "conversation", "json", "cwd", "help", "debug"]);
  const odd = Object.keys(flags).find((name) => !allowed.has(name));
  if (odd !== undefined) throw new UaError("usage", `\`registry ${verb}\` does not accept --${odd}`);
}

export type Verb = (invocation: Invocation, context: Context, asking: RegistryOptions) => Promise<number>;
