import { jsonProblem, UaError } from "../errors.js";
import { MAX_RESULT_BYTES } from "../graph/result.js";
import { fromJson } from "../json.js";
import { KINDS } from "../registry/kinds.js";
import type { RegistryRow } from "../registry/read.js";
import { readGiven, repositoryPath } from "./given.js";
import { atMost, count, printable, short, table } from "./output.js";
import type { Verb } from "./registry.js";
import { runVerification } from "./registry-verify.js";

/** Loaded only when needed. */
const answers = () => import("../registry/answers.js");

const ls: Verb = async ({ cwd, flags, positionals, out }, context, asking) => {
  const { type } = flags;
  if (type !== undefined && !KINDS.some((kind) => kind === type)) {
    throw new UaError("usage", `--type must be one of ${KINDS.join(", ")}`);
  }
  const paths = positionals.map((path) => repositoryPath(context.project, cwd, path));
  const { listRegistry } = await answers();
  const { files: all, ...registryState } = await listRegistry(context, asking, { paths, md5: flags.md5 === true });
  const files = type === undefined ? all : all.filter((file) => file.type === type);
  const rows = files.map((file) => [
    file.summary_state ?? (file.type === "text" || file.type === "generated" ? "-" : file.type),
    ...(flags.md5 === true ? [file.content_md5 ?? "-"] : []),
    `${printable(file.path)}${file.uncommitted ? "  (uncommitted)" : ""}`,
  ]);
  out.result({ schema: "ua-hooks.registry/1", ...registryState, files }, table(rows));
  return 0;
};

const show: Verb = async ({ cwd, flags, positionals, out }, context, asking) => {
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new UaError("usage", "registry show takes one path");
  const path = repositoryPath(context.project, cwd, given);
  const found = await (await answers()).showRegistry(context, asking, { path, md5: flags.md5 === true });
  if (found === null) {
    throw new UaError(
      "usage",
      `${printable(path)} is not in the registry of this worktree`,
      "run `ua-hooks registry ls` to list its files",
    );
  }
  const { file, ...registryState } = found;
  out.result({ schema: "ua-hooks.registry-file/1", ...registryState, ...file }, table(describe(file)));
  return 0;
};

function describe(file: RegistryRow): string[][] {
  const { summary_state: state, drift, details } = file;
  const summaryState = state === null ? "none" : `${state}${drift === "none" ? "" : `: ${drift} drift since`}`;
  return [
    ["File", `${printable(file.path)}${file.uncommitted ? "  (uncommitted changes)" : ""}`],
    ["Type", file.language === null ? file.type : `${file.type}, ${file.language}`],
    ["Size", file.size_bytes === null ? "unknown in this clone" : count(file.size_bytes, "byte")],
    ["Content", file.content_oid],
    ...(file.content_md5 === null ? [] : [["md5", file.content_md5]]),
    ["Summary", summaryState],
    ...details.map((detail) => ["", printable(detail)]),
    ...(file.summary === null
      ? []
      : [
          ["Written", file.summary_updated_at ?? ""],
          ["", printable(file.summary)],
        ]),
  ];
}

const stale: Verb = async ({ flags, out }, context, asking) => {
  const { untold, ...answer } = await (await answers()).staleSummaries(context, asking);
  const { files } = answer;
  const all = flags.all === true;
  const rows = files.map(({ path, summary_state: state, drift, details }) => [
    ...[state, printable(path), drift, printable(details.join(", "))],
  ]);
  const without = atMost(untold.map((path) => `  ${printable(path)}`));
  out.result({ schema: "ua-hooks.registry-stale/1", ...answer, ...(all ? { untold } : {}) }, [
    ...(files.length === 0 ? ["All summaries are up to date."] : table(rows)),
    ...(all ? [`${count(untold.length, "file")} without a summary`, ...without] : []),
  ]);
  return flags["exit-code"] === true && files.length > 0 ? 1 : 0;
};

const updateSummaries: Verb = async ({ cwd, flags, positionals, out }, context) => {
  const [file, ...more] = positionals;
  if (more.length > 0) throw new UaError("usage", "registry update-summaries takes one file");
  const given = await readGiven(cwd, file, MAX_RESULT_BYTES);
  const commit = typeof flags.commit === "string" ? flags.commit : null;
  const { endTask, parseUpdates } = await answers();
  const done = await endTask(context, { updates: parseUpdates(parseJson(given)), commit, paths: null });
  const { updated, failed, untold, last_verified_sha: sha, advanced } = done;
  out.result({ schema: "ua-hooks.registry-update/1", ...done }, [
    `${count(updated.length, "summary").replace("summarys", "summaries")} stored; ${
      advanced ? `verified at ${short(sha)}` : `last verified at ${short(sha)}`
    }`,
    ...atMost(failed.map(({ path, reason }) => `  ${printable(path)} failed: ${reason}`)),
    ...(untold.length === 0 ? [] : [`  ${count(untold.length, "touched file")} without a new summary`]),
  ]);
  return flags["exit-code"] === true && failed.length > 0 ? 1 : 0;
};

function parseJson(given: string): unknown {
  try {
    return fromJson(given);
  } catch (error) {
    throw new UaError("usage", `the summaries cannot be read: the text ${jsonProblem(given, error)}`);
  }
}

export const verbs = { ls, show, verify: runVerification, stale, "update-summaries": updateSummaries };
