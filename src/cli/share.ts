import type { Command, Invocation } from "./command.js";
import { verbOf } from "./suggest.js";

const VERBS = {
  on: async () => (await import("./share-switch.js")).on,
  off: async () => (await import("./share-switch.js")).off,
  pull: async () => (await import("./share-exchange.js")).pull,
  push: async () => (await import("./share-exchange.js")).push,
  sync: async () => (await import("./share-exchange.js")).sync,
  status: async () => (await import("./share-status.js")).shareStatus,
  forget: async () => (await import("./share-switch.js")).forget,
} satisfies Record<string, () => Promise<(invocation: Invocation) => Promise<number>>>;
const VERB_NAMES = Object.keys(VERBS) as (keyof typeof VERBS)[];

/** `on` and `off` ask. */
const LABELS: Record<string, string> = { pull: "fetching", push: "sending", sync: "fetching and sending" };

export const share: Command = {
  summary: "exchange descriptions with other clones, through the remote that they have in common",
  busy: ({ positionals: [verb = ""] }) => LABELS[verb],
  usage: `<${VERB_NAMES.join("|")}> …`,
  example: "ua-hooks share on --trust pushers && ua-hooks share sync",
  options: {
    ...{ remote: { type: "string" }, trust: { type: "string" }, author: { type: "string" } },
    ...{ yes: { type: "boolean" }, delete: { type: "boolean" }, "dry-run": { type: "boolean" } },
    undo: { type: "boolean" },
  },
  help: {
    on: "[--remote R] [--trust none|pushers|signers] [--author NAME] [--yes]: in this clone only; asks first",
    off: "[--delete: also remove this clone's ref from the remote]",
    "pull, push, sync": "fetch what others share; send what is new here; both. Only these use the network",
    "push --dry-run": "list what would be sent, and what stays here; nothing is sent",
    status: "[--remote: also ask the remote which authors it has]",
    "forget AUTHOR": "remove what an author shared, and take in no more [--undo: take it in again at the next pull]",
  },
  positionals: true,
  // `share status --remote` has no value, `share on --remote R` has one.
  rewrite: (args) => (args[0] === "status" ? args.map((arg) => (arg === "--remote" ? "--remote=" : arg)) : args),
  async run(invocation) {
    const [typed, ...positionals] = invocation.positionals;
    const run = await VERBS[verbOf("share", VERB_NAMES, typed)]();
    return run({ ...invocation, positionals });
  },
};
