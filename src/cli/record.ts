import type { Command, Invocation } from "./command.js";
import { verbOf } from "./suggest.js";

/** Loaded one by one: `relevant` runs before every edit, and must not load the others. */
const VERBS = {
  add: async () => (await import("./record-write.js")).add,
  list: async () => (await import("./record-read.js")).list,
  show: async () => (await import("./record-read.js")).show,
  relevant: async () => (await import("./record-relevant.js")).relevant,
  approve: async () => (await import("./record-write.js")).approveCommand,
  reject: async () => (await import("./record-write.js")).rejectCommand,
  supersede: async () => (await import("./record-write.js")).supersedeCommand,
  refresh: async () => (await import("./record-exchange.js")).refreshCommand,
  vacuum: async () => (await import("./record-write.js")).vacuumCommand,
  log: async () => (await import("./record-read.js")).logCommand,
  import: async () => (await import("./record-exchange.js")).importCommand,
  export: async () => (await import("./record-exchange.js")).exportCommand,
} satisfies Record<string, () => Promise<(invocation: Invocation) => Promise<number>>>;
const VERB_NAMES = Object.keys(VERBS) as (keyof typeof VERBS)[];

export const record: Command = {
  summary: "statements about the code, and whether they are still valid here",
  usage: `<${VERB_NAMES.join("|")}> …`,
  example:
    'ua-hooks record add "Retry lives in the client, not in the queue" --type decision --subject src/client.ts#retry',
  options: {
    ...{ type: { type: "string" }, subject: { type: "string", multiple: true }, confidence: { type: "string" } },
    ...{ origin: { type: "string" }, evidence: { type: "string", multiple: true }, quote: { type: "string" } },
    ...{ draft: { type: "boolean" }, supersedes: { type: "string", multiple: true }, by: { type: "string" } },
    ...{ anchor: { type: "boolean" }, archive: { type: "boolean" }, reason: { type: "string" } },
    ...{ status: { type: "string" }, all: { type: "boolean" }, "include-stale": { type: "boolean" } },
    ...{ search: { type: "string" }, limit: { type: "string" }, from: { type: "string" } },
    ...{ finished: { type: "boolean" }, "older-than": { type: "string" }, "dry-run": { type: "boolean" } },
    ...{ drafts: { type: "boolean" } },
  },
  help: {
    "add STATEMENT":
      "--type T [--subject PATH|PATH#SYMBOL|DIR/]… [--confidence 0-1] [--evidence KIND:REF[@LINES]]… [--quote TEXT]",
    "": "[--origin human|agent|system] [--draft] [--supersedes ID]…",
    list: "[--status S | --all] [--include-stale] [--type T] [--origin O] [--subject S] [--search WORDS] [--limit N]",
    "show ID, log ID": "one record; its history",
    "relevant PATH|PATH#SYMBOL…": "[--limit N] [--include-stale]: nearest first; stale ones only with --include-stale",
    "approve ID…": "activates a draft [--by NAME] [--anchor: anchors it to the current code]",
    "reject ID…": "[--reason TEXT] [--archive: no longer needed, but not wrong]",
    "supersede OLD NEW": "the newer one replaces it",
    refresh:
      "[--from FILE: the current statements of a system] [--finished PATH…: a task that changed these files was accepted]",
    vacuum: "removes drafts, rejected and archived ones [--older-than DAYS] [--dry-run]",
    "import FILE|-, export [FILE|-]": "JSON Lines, merged by id [--drafts: export them, too]",
  },
  positionals: true,
  async run(invocation) {
    const [typed, ...positionals] = invocation.positionals;
    const run = await VERBS[verbOf("record", VERB_NAMES, typed)]();
    return run({ ...invocation, positionals });
  },
};
