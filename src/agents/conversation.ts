import { readStoredMarker } from "../marker/marker.js";
import type { Project } from "../repository/locate.js";

/** The variables in which a client's shell has the id of the conversation. Our plugin sets opencode's; Gemini CLI has none. */
const VARIABLES: readonly [client: string, variable: string][] = [
  ["claude", "CLAUDE_CODE_SESSION_ID"],
  ["codex", "CODEX_SESSION_ID"],
  ["codex", "CODEX_THREAD_ID"],
  ["copilot", "COPILOT_AGENT_SESSION_ID"],
  ["opencode", "UA_HOOKS_OPENCODE_SESSION"],
];

/** A wait for the database blocks the deadline's timer, so it is much shorter. A wait for the lock does not. */
export const STATEMENT_WAIT_MS = 250;

/** The holder of a lease that a conversation takes: it may claim again, and its end gives the lease back. */
export function holderName(client: string, session: string): string | null {
  return /^[\w-]{1,80}$/.test(session) ? `${client}:${session}` : null;
}

/** How the name of a holder starts that is an MCP server, whose client does not say which conversation it serves. */
export const MCP_HOLDER = "mcp:";

/** The conversation that a command was started in; null if it was none, or the client does not name it. */
export function holderFromEnv(env: NodeJS.ProcessEnv): string | null {
  for (const [client, variable] of VARIABLES) {
    const holder = holderName(client, env[variable] ?? "");
    if (holder !== null) return holder;
  }
  return null;
}

/** At the end of a session. Where the client reports none, the lease expires. */
export async function returnLease(project: Project, holder: string | null): Promise<void> {
  const lease = readStoredMarker(project)?.lease ?? null;
  if (holder === null || lease === null || lease.holder !== holder) return;
  const { withContext } = await import("../repository/context.js");
  const { releaseUpdate } = await import("../updates/update.js");
  const release = { lease: lease.id, error: null };
  await withContext(project, (context) => releaseUpdate(context, release), { statementWaitMs: STATEMENT_WAIT_MS });
}
