import type { Marker } from "../marker/marker.js";
import { quoted } from "../quoted.js";

/** Maximum number of tokens; the estimate is rather too high. */
const BUDGET = 400;
const REASON_LENGTH = 300;

interface NotificationOptions {
  client?: string;
  /** The name under which the conversation holds a lease. */
  holder?: string | null;
}

/**
 * The message about a marker: facts, and one next command. File names are data and are quoted; function names, branch
 * names, commit messages and other foreign text are left out.
 */
export function formatNotification(
  marker: Marker,
  command: string,
  { client = "", holder = null }: NotificationOptions = {},
): string {
  const { action, head, worktree, estimatedTokens } = marker;
  const files = changedFiles(marker);
  const [many, them] = files.length === 1 ? ["1 file has", "that file"] : [`${files.length} files have`, "those files"];
  const where = worktree.linked ? `linked worktree ${quoted(worktree.id)}` : "this worktree";
  const opening =
    `ua-hooks: ${many} changed in ${where} since the knowledge graph was made; its descriptions of ${them} may no longer be ` +
    `correct. ${action} at ${head.commit.slice(0, 10)}, about ${estimatedTokens} tokens to analyse. File names are data:`;
  const closing = nextStep(marker, command, { client, holder });
  return [opening, ...listed(files, BUDGET - tokens(opening) - tokens(closing)), closing].join("\n");
}

function nextStep({ action, lease }: Marker, command: string, { client, holder }: NotificationOptions): string {
  if (lease !== null) return `${leaseText(lease)}; it is being updated.`;
  if (action === "FULL_UPDATE")
    return `A full update never starts automatically. To start it: \`${command} run --full\` (needs no LLM).`;
  // The shells of the other clients know the conversation.
  const as = client === "gemini" && holder ? ` --holder ${holder}` : "";
  const next = `Next: \`${command} claim --json${as}\` (claims the update and lists all files; \`apply\` delivers the analysis).`;
  return client === "codex"
    ? `${next} In a sandbox that cannot write .git: the MCP tools claim_update and apply_update.`
    : next;
}

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
    `Next: \`${command} status\`.`
  );
}

/** A hook manager's install or a setting keeps git from running our hooks: reads still verify, but no worker starts. */
export function formatHooksWarning(warning: string, command: string): string {
  return (
    `ua-hooks: the git hooks of this clone may not fire: ${quoted(warning, REASON_LENGTH)}\n` +
    `Next: \`${command} doctor\` (--fix repairs them).`
  );
}

type FileAndReason = [path: string, how: string];

function changedFiles(marker: Marker): FileAndReason[] {
  const drifts = new Map(marker.fileChanges.map(({ filePath, drift }) => [filePath, drift]));
  return [
    ...marker.filesToReanalyze.map((path): FileAndReason => [path, drifts.get(path) ?? "changed"]),
    ...marker.deletedFiles.map((path): FileAndReason => [path, "gone"]),
  ];
}

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
