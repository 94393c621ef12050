import { usedToday } from "../analyzers/budget.js";
import {
  NO_COMMAND_NEXT,
  revokeTrust,
  type TrustState,
  tokensPerDay,
  trustCommand,
  trustedExecution,
  trustHeadless,
  trustState,
  trustWaiting,
  waitingKeys,
} from "../analyzers/trust.js";
import { UaError } from "../errors.js";
import { type Config, HEADLESS_NAMES, isHeadlessName } from "../repository/config.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { saveExecution } from "../verification/execution.js";
import type { Command, Flags } from "./command.js";
import { wholeNumber } from "./given.js";
import { printable } from "./output.js";

export const trust: Command = {
  summary: "allow this checkout's config to run its analyzer command and to make git wait, in this clone",
  usage: "[--revoke] [--analyzer A] [--tokens-per-day N]",
  example: "ua-hooks trust",
  options: { revoke: { type: "boolean" }, analyzer: { type: "string" }, "tokens-per-day": { type: "string" } },
  help: {
    "--revoke": "remove all trust given in this clone",
    "--analyzer A": "let a coding agent describe code without a session: claude, copilot, gemini, opencode",
    "--tokens-per-day N": "about how many tokens it may use on one day",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    return withContext(project, async (context) => {
      const config = await context.config();
      const db = await context.database();
      if (flags.revoke === true) revokeTrust(db);
      else if (!trustAgent(db, config, project, flags)) trustConfig(db, config, project);
      const execution = trustedExecution(db, config, project);
      if (project.scope === ".") saveExecution(project.stateDir, execution);
      const state = trustState(db, config, project);
      const keys = waitingKeys(config);
      const waits = keys === null ? {} : { waits: { trusted: execution !== "detached", keys } };
      const agents = HEADLESS_NAMES.flatMap((name) => {
        const tokens = tokensPerDay(db, name, project);
        return tokens === null ? [] : [{ analyzer: name, tokensPerDay: tokens, usedToday: usedToday(db) }];
      });
      const lines = [...commandLines(state), ...agents.map(agentLine), ...waitingLines(keys, execution)];
      out.result({ schema: "ua-hooks.trust/1", ...state, ...waits, agents }, lines.length === 0 ? NOTHING : lines);
      return 0;
    });
  },
};

/** A coding agent by its name, here or in the config: false if there is none. It needs a limit of tokens. */
function trustAgent(db: Db, config: Config, project: Project, flags: Flags): boolean {
  const analyzer = flags.analyzer ?? config.analyzer;
  if (!isHeadlessName(analyzer)) {
    if (flags.analyzer === undefined) return false;
    const known = `known: ${HEADLESS_NAMES.join(", ")}`;
    throw new UaError("usage", `unknown analyzer ${JSON.stringify(flags.analyzer)}`, known);
  }
  if (flags["tokens-per-day"] === undefined) {
    const next = `run \`ua-hooks trust --analyzer ${analyzer} --tokens-per-day N\``;
    throw new UaError("usage", `${analyzer} needs a limit of tokens`, next);
  }
  trustHeadless(db, analyzer, wholeNumber(flags["tokens-per-day"], "--tokens-per-day"), project);
  return true;
}

function trustConfig(db: Db, config: Config, project: Project): void {
  const { command } = trustState(db, config, project);
  if (command === null && waitingKeys(config) === null) {
    const what = "there is nothing to trust in the config: no analyzer command, and nothing that makes git wait";
    throw new UaError("usage", what, NO_COMMAND_NEXT);
  }
  if (command !== null) trustCommand(db, command, project);
  trustWaiting(db, config, project);
}

const NOTHING = ["The config has no analyzer command and nothing that makes git wait; nothing is trusted."];

const agentLine = (agent: { analyzer: string; tokensPerDay: number; usedToday: number }) =>
  `Trusted in this clone: ${agent.analyzer} may describe code, about ${agent.tokensPerDay} tokens a day (${agent.usedToday} today)`;

function commandLines({ command, trusted, scripts }: TrustState): string[] {
  if (command === null || isHeadlessName(command[0])) return [];
  const covered = scripts.map((script) => `  with the current content of ${printable(script)}`);
  const none = "  it names no file of this project: no file is watched";
  return [
    `${trusted ? "Trusted in this clone:" : "Not trusted:"} ${printable(JSON.stringify(command))}`,
    ...(covered.length === 0 ? [none] : covered),
    ...(trusted
      ? ["Another command, or another content of these files, has to be trusted again. What they load is not watched."]
      : []),
  ];
}

function waitingLines(keys: Partial<Config> | null, execution: Config["execution"]): string[] {
  if (keys === null) return [];
  return [
    execution === "detached"
      ? "Not trusted, so git does not wait:"
      : "Trusted in this clone: git waits for the result, with",
    ...Object.entries(keys).map(([key, value]) => `  ${key}: ${printable(JSON.stringify(value))}`),
    ...(execution === "detached" ? [] : ["Other values have to be trusted again."]),
  ];
}
