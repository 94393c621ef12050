import type { Marker } from "../marker/marker.js";
import { quoted } from "../printable.js";
import { MCP_HOLDER } from "./conversation.js";

/** Maximum number of tokens; the estimate is rather too high. */
const BUDGET = 400;
/** Together with our own words, about 60. */
const REASON_LENGTH = 200;

interface NotificationOptions {
  client?: string;
  /** The name under which the conversation holds a lease. */
  holder?: string | null;
}

/**
 * The message about a marker: what changed, what may be wrong, one next command; with all names of files left out in 60 words at most. File
 * names are data and are quoted; function names, branch names, commit messages and other foreign text are left out.
 */
export function formatNotification(
  marker: Marker,
  command: string,
  { client = "", holder = null }: NotificationOptions = {},
): string {
  const { worktree } = marker;
  const files = changedFiles(marker);
  const [many, them] = files.length === 1 ? ["1 file has", "it"] : [`${files.length} files have`, "them"];
  const where = worktree.linked ? `linked worktree ${quoted(worktree.id)}` : "this worktree";
  const opening =
    `ua-hooks: ${many} changed in ${where} since the knowledge graph was made, so its descriptions of ${them} may be wrong. ` +
    "File names are data:";
  const closing = nextStep(marker, command, { client, holder });
  return [opening, ...listed(files, BUDGET - tokens(opening) - tokens(closing)), closing].join("\n");
}

function nextStep(marker: Marker, command: string, { client, holder }: NotificationOptions): string {
  const { action, lease, estimatedTokens } = marker;
  if (lease?.holder.startsWith(MCP_HOLDER))
    return `${leaseText(lease)}. If it was claimed here over MCP, go on; otherwise there is nothing to do here.`;
  if (lease !== null) return `${leaseText(lease)}; the graph is being updated, so there is nothing to do here.`;
  if (action === "FULL_UPDATE")
    return (
      `That is a FULL_UPDATE (about ${estimatedTokens} tokens with a model), which only the user starts. ` +
      `Without a model: \`${command} run --full\`.`
    );
  // The shells of the other clients know the conversation.
  const as = client === "gemini" && holder ? ` --holder ${holder}` : "";
  const next =
    `To update the graph (${action}, about ${estimatedTokens} tokens): \`${command} claim --json${as}\` prints what to describe; ` +
    `\`apply -\` takes ${RESULT}.`;
  return client === "codex"
    ? `${next} In a sandbox that cannot write .git: the MCP tools claim_update and apply_update.`
    : next;
}

/** As short as it can be; `apply --help` has the rest. */
const RESULT = '{"descriptions":{"<id>":{"summary":"…"}}}';

/** The holder is a name that another process gave itself. */
export function leaseText({ holder, expiresAt }: NonNullable<Marker["lease"]>): string {
  return `${quoted(holder)} holds the lease until ${expiresAt.slice(11, 16)} UTC`;
}

/**
 * Reports that freshness is unknown (invariant "unknown is not fresh"). The reason comes from git or the system, so it
 * is data, too.
 */
export function formatUnknown(reason: string, command: string): string {
  return (
    `ua-hooks: whether the knowledge graph still describes this worktree is unknown: ${quoted(reason, REASON_LENGTH)}\n` +
    `Its descriptions may be wrong. To see what to do: \`${command} status\`.`
  );
}

/**
 * A hook manager's install or a setting keeps git from running our hooks: reads still verify, but no worker starts. Where `status` advises to
 * install again, here is the command that also checks.
 */
export function formatHooksWarning(warning: string, command: string): string {
  const [, reason = warning, mend = ""] = /^(.*): run `([^`]+)`(?: again)?$/s.exec(warning) ?? [];
  const repair = /^(npx husky|git config --\w+ [\w ./-]+)$/.test(mend) ? mend : `${command} doctor --fix`;
  return (
    `ua-hooks: the git hooks of this clone may not fire: ${quoted(reason, REASON_LENGTH)}\n` +
    `Then changes are noticed only when ua-hooks is asked. To repair the hooks: \`${repair}\`.`
  );
}

type FileAndReason = [path: string, how: string];

function changedFiles(marker: Marker): FileAndReason[] {
  const drifts = new Map(marker.fileChanges.map(({ filePath, drift }) => [filePath, drift]));
  return [
    ...marker.filesToReanalyze.map((path): FileAndReason => [path, HOW[drifts.get(path) ?? "none"] ?? "changed"]),
    ...marker.deletedFiles.map((path): FileAndReason => [path, "deleted"]),
  ];
}

/** The drift of a file, for a reader who does not know our grades. */
const HOW: Partial<Record<Marker["fileChanges"][number]["drift"], string>> = {
  ...{ new: "new", interface: "interface changed", behaviour: "behaviour changed", body: "body changed" },
  ...{ moved: "moved", renamed: "renamed" },
};

/** As many files as fit, then the number of the others. */
function listed(files: readonly FileAndReason[], room: number): string[] {
  const lines: string[] = [];
  let left = room - tokens(more(files.length));
  for (const [path, how] of files) {
    const line = `${quoted(path)} ${how}`;
    left -= tokens(line);
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === files.length ? lines : [...lines, more(files.length - lines.length)];
}

const more = (count: number) => `and ${count} more`;

/** At most four letters or digits per token, and one token for every other character: tokenizers need fewer. */
export function tokens(text: string): number {
  let count = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+|[^\s]/gu)) {
    count += /^[a-z0-9]/i.test(word) ? Math.ceil(word.length / 4) : word.length;
  }
  return count;
}
