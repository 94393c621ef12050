import type { ServerContext } from "@modelcontextprotocol/server";

/** The first word after half a second, then one a second: what is quick needs none. */
const QUIET_MS = 500;
const EVERY_MS = 1000;

/**
 * Progress for a client that asked for it. Verification and waiting for another process have no known end, so it counts
 * what has gone by: enough for a client to see that we live, and not to give up.
 */
export function createProgress({ mcpReq }: ServerContext): { stage(message: string): void; end(): void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stage: () => {}, end: () => {} };
  const started = Date.now();
  let message = "starting";
  const say = () => {
    const params = { progressToken, progress: (Date.now() - started) / 1000, message };
    // Nobody is there to hear it: the client went, and the call ends by itself.
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
