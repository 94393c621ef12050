import {
  revokeTrust,
  type TrustState,
  trustCommand,
  trustedExecution,
  trustState,
  trustWaiting,
  waitingKeys,
} from "../analyzers/trust.js";
import { UaError } from "../errors.js";
import type { Config } from "../repository/config.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { saveExecution } from "../verification/execution.js";
import type { Command } from "./command.js";
import { printable } from "./output.js";

export const trust: Command = {
  summary: "allow this checkout's config to run its analyzer command and to make git wait, in this clone",
  usage: "[--revoke]",
  example: "ua-hooks trust",
  options: { revoke: { type: "boolean" } },
  help: { "--revoke": "remove all trust given in this clone" },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    return withContext(project, async (context) => {
      const config = await context.config();
      const db = await context.database();
      if (flags.revoke === true) revokeTrust(db);
      else trustConfig(db, config, project);
      const execution = trustedExecution(db, config, project);
      if (project.scope === ".") saveExecution(project.stateDir, execution);
      const state = trustState(db, config, project);
      const keys = waitingKeys(config);
      const waits = keys === null ? {} : { waits: { trusted: execution !== "detached", keys } };
      const lines = [...commandLines(state), ...waitingLines(keys, execution)];
      out.result({ schema: "ua-hooks.trust/1", ...state, ...waits }, lines.length === 0 ? NOTHING : lines);
      return 0;
    });
  },
};

function trustConfig(db: Db, config: Config, project: Project): void {
  const { command } = trustState(db, config, project);
  if (command === null && waitingKeys(config) === null) {
    const what = "there is nothing to trust in the config: no analyzer command, and nothing that makes git wait";
    throw new UaError("usage", what, "see docs/config.md, analyzer and execution");
  }
  if (command !== null) trustCommand(db, command, project);
  trustWaiting(db, config, project);
}

const NOTHING = ["The config has no analyzer command and nothing that makes git wait; nothing is trusted."];

function commandLines({ command, trusted, scripts }: TrustState): string[] {
  if (command === null) return [];
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
