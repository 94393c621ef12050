import type { ServerContext } from "@modelcontextprotocol/server";

/** The first message after half a second, then one per second: quick calls send none. */
const QUIET_MS = 500;
const EVERY_MS = 1000;

/**
 * Progress for a client that asked for it. Verification and waiting for a lock have no known end, so the number only
 * counts up: enough for a client to see that the call is running.
 */
export function createProgress({ mcpReq }: ServerContext): { stage(message: string): void; end(): void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stage: () => {}, end: () => {} };
  const started = Date.now();
  let message = "starting";
  const say = () => {
    const params = { progressToken, progress: (Date.now() - started) / 1000, message };
    // The client is gone; the call ends by itself.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    timer = setTimeout(say, EVERY_MS);
  };
  let timer = setTimeout(say, QUIET_MS);
  return {
    stage: (words) => {
      message = words;
    },
    end: () => clearTimeout(timer),
  };
}
