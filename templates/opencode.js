// ua-hooks: tells opencode's agent when the knowledge graph no longer describes the code. Written by `ua-hooks install
// --agent opencode`; `ua-hooks uninstall` takes it out. Where ua-hooks is not set up it does nothing.
import { spawn } from "node:child_process";

const FIND =
  'd=$(git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null) && [ -f "$d/ua-hooks/agent.sh" ]';

/** Asks once; the answer is a text or nothing. Never longer than a few seconds, never an error. */
function ask(cwd, sessionID, event) {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", `${FIND} && exec sh "$d/ua-hooks/agent.sh" opencode ${event}; exit 0`], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 10_000,
    });
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try {
        resolve(JSON.parse(said).system ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify({ session_id: sessionID, hook_event_name: event, cwd }));
  });
}

export const UaHooks = async ({ directory, worktree }) => {
  const cwd = directory || worktree || process.cwd();
  // What was said stands in the system text until the person's next message: told once, seen for one turn.
  const said = new Map();
  return {
    "chat.message": async ({ sessionID }) => {
      said.set(sessionID, await ask(cwd, sessionID, "chat.message"));
    },
    "tool.execute.after": async ({ tool, sessionID }) => {
      if (tool !== "bash") return;
      const text = await ask(cwd, sessionID, "tool.execute.after");
      if (text !== "") said.set(sessionID, text);
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const text = said.get(sessionID);
      if (text) output.system.push(text);
    },
    event: async ({ event }) => {
      if (event.type === "session.deleted") said.delete(event.properties?.info?.id);
    },
  };
};
