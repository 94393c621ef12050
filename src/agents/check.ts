import { join, relative } from "node:path";
import { readStoredMarker } from "../marker/marker.js";
import type { Project, Worktree } from "../repository/locate.js";
import { listWorktrees } from "../repository/worktrees.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import { lastCalls } from "./calls.js";
import { isTrustedBy, needsMcp } from "./client-trust.js";
import { hasOurs, withOurs } from "./settings-entries.js";
import { SETTINGS_FILES, type SettingsFile } from "./settings-files.js";
import { theirView } from "./understand-anything.js";
import { readWrittenFiles, type WrittenFile } from "./written-files.js";

/** How one agent is set up in a worktree, for `status` and `doctor`. */
export interface AgentState {
  client: string;
  /** Path from the top of the worktree. */
  file: string;
  /** `rejected`: valid with comments, which the client itself does not read. */
  state: "installed" | "outdated" | "gone" | "damaged" | "rejected";
  /** Which of the two tells it about an update, at a session's start and after a commit in the current folder: never both. */
  speaks: "ua-hooks" | "understand-anything";
  /** Whether the client runs hooks of this folder, by its own files; null if they do not say. */
  trusted: boolean | null;
  /** Its sandbox cannot write .git, and it does not have our MCP server. */
  needsMcp: boolean;
  /** When the client last ran our hook in this clone; null if it never did. */
  lastCall: string | null;
}

/** `folder`: the current one, which Understand-Anything's own hook goes by. */
export function checkAgents(project: Project, folder: string, env: NodeJS.ProcessEnv): AgentState[] {
  const isPending = readStoredMarker(project) !== null;
  const worktrees = listWorktrees(project);
  const calls = lastCalls(project.stateDir);
  return [...readWrittenFiles(project.stateDir)].flatMap(([file, written]): AgentState[] => {
    const place = SETTINGS_FILES.get(written.client);
    const worktree = place === undefined ? undefined : worktreeOf(worktrees, file, place);
    if (place === undefined || worktree === undefined) return []; // a skill, or a worktree that is gone
    const theirs = theirView({ client: written.client, folder, project, env });
    // Something is pending that it does not see: meta.json has HEAD.
    const isTheirs = theirs !== null && (theirs.isStale || !isPending);
    return [
      {
        ...{
          client: written.client,
          file: relative(project.worktree.path, file),
          state: stateOf(file, place, written),
        },
        speaks: isTheirs ? "understand-anything" : "ua-hooks",
        trusted: isTrustedBy(written.client, {
          ...{ folder: worktree.path, env },
          settings: readTextIfThere(file, MOST_TEXT_BYTES),
        }),
        needsMcp: needsMcp(written.client, env),
        lastCall: calls.get(written.client)?.toISOString() ?? null,
      },
    ];
  });
}

function worktreeOf(worktrees: readonly Worktree[], file: string, place: SettingsFile): Worktree | undefined {
  return worktrees.find(({ path }) => file === join(path, place.file) || file === join(path, place.shared));
}

/** Their parsers take no comments; the others do. */
const STRICT = ["claude", "codex"];

function stateOf(file: string, place: SettingsFile, { client }: WrittenFile): AgentState["state"] {
  const now = readTextIfThere(file, MOST_TEXT_BYTES);
  if (now === null) return "gone";
  try {
    if (withOurs(now, place, file) === now) return STRICT.includes(client) && !isJson(now) ? "rejected" : "installed";
    return hasOurs(now, file) ? "outdated" : "gone";
  } catch {
    return "damaged";
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
