import { isUaError, UaError } from "../errors.js";
import { withoutGitEnv } from "../git/run.js";
import { MAX_RESULT_BYTES, parseResult, type Result } from "../graph/result.js";
import { programPath } from "../platform/program-path.js";
import type { Config } from "../repository/config.js";
import type { Db } from "../store/sqlite.js";
import { runLimited } from "./run-limited.js";
import { NO_COMMAND_NEXT, trustState, type Where } from "./trust.js";

/** The input of an analyzer: the marker's lists, and what it needs besides. */
export interface AnalysisPlan {
  schema: "ua-hooks.plan/1";
  root: string;
  head: string;
  outputLanguage?: string;
  action: string;
  reason: string;
  filesToReanalyze: readonly string[];
  deletedFiles: readonly string[];
  renamedFiles: readonly { from: string; to: string; similarity?: number }[];
  rerunArchitecture: boolean;
  rerunTour: boolean;
  fileChanges: readonly object[];
  dependents: readonly string[];
  /** Why the previous attempt failed. */
  previousError?: string;
}

type PlanLists = Omit<AnalysisPlan, "schema" | "root" | "head" | "outputLanguage" | "previousError">;

/** The lists of a marker, without the rest. */
export function analysisPlan(
  marker: PlanLists,
  where: Pick<AnalysisPlan, "root" | "head" | "outputLanguage">,
): AnalysisPlan {
  const { action, reason, filesToReanalyze, deletedFiles, renamedFiles } = marker;
  const { rerunArchitecture, rerunTour, fileChanges, dependents } = marker;
  return {
    ...{ schema: "ua-hooks.plan/1", ...where, action, reason, filesToReanalyze, deletedFiles, renamedFiles },
    ...{ rerunArchitecture, rerunTour, fileChanges, dependents },
  };
}

export interface CommandOptions {
  timeoutMs: number;
  /** Number of further attempts. */
  retries?: number;
  /** Throws where the command may no longer run. Asked before every try: one may take minutes, and a pull may come meanwhile. */
  confirm?: () => Promise<unknown>;
}

export const RETRIES = 2;

/** The configured command, if the user of this clone trusts it. */
export function trustedCommand(db: Db, config: Pick<Config, "analyzer">, where: Where): readonly string[] {
  const { command, trusted } = trustState(db, config, where);
  if (command === null) throw new UaError("usage", "no analyzer command is configured", NO_COMMAND_NEXT);
  if (trusted) return command;
  throw new UaError(
    "refused",
    `the analyzer command ${JSON.stringify(command)} is not trusted in this clone`,
    "check the command, then run `ua-hooks trust`",
  );
}

/** Writes the plan, reads the result; an error, or a result that cannot be used, is passed to the next attempt. */
export async function analyzeWithCommand(
  command: readonly string[],
  plan: AnalysisPlan,
  { timeoutMs, retries = RETRIES, confirm }: CommandOptions,
): Promise<Result> {
  let asked = plan;
  for (let left = retries; ; left--) {
    await confirm?.();
    try {
      return parseResult(await runOnce(command, asked, timeoutMs), plan.root);
    } catch (error) {
      if (!isUaError(error)) throw error;
      if (left > 0) asked = { ...plan, previousError: error.message };
      else throw new UaError("failed", `${error.message} (tried ${retries + 1} times)`, error.next, error);
    }
  }
}

/** No shell: the arguments are those of the config. */
async function runOnce([program = "", ...args]: readonly string[], plan: AnalysisPlan, timeoutMs: number) {
  const env = { ...withoutGitEnv(), PATH: programPath(plan.root) };
  const limits = { timeoutMs, mostBytes: MAX_RESULT_BYTES };
  return runLimited([program, ...args], { cwd: plan.root, env, input: JSON.stringify(plan) }, limits);
}
