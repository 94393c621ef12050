// ua-hooks: notifies opencode's agent when the knowledge graph no longer describes the code. Written by `ua-hooks install
// --agent opencode`; `ua-hooks uninstall` removes it. In a clone without ua-hooks it does nothing.
import { spawn } from "node:child_process";

const FIND =
  'd=$(git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null) && [ -f "$d/ua-hooks/agent.sh" ]';

/** Asks once; the answer is a text or nothing. It takes at most some seconds and never fails. */
function ask(cwd, sessionID, event) {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", `${FIND} && exec sh "$d/ua-hooks/agent.sh" opencode ${event}; exit 0`], {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 10_000,
    });
    let answer = "";
    child.stdout.on("data", (chunk) => {
      answer += chunk;
    });
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer).system ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify({ session_id: sessionID, hook_event_name: event, cwd }));
  });
}

export const UaHooks = async ({ directory, worktree }) => {
  const cwd = directory || worktree || process.cwd();
  // By session: the message that is part of the system text until the user's next message, for one turn.
  const messages = new Map();
  return {
    "chat.message": async ({ sessionID }) => {
      messages.set(sessionID, await ask(cwd, sessionID, "chat.message"));
    },
    "tool.execute.after": async ({ tool, sessionID }) => {
      if (tool !== "bash") return;
      const text = await ask(cwd, sessionID, "tool.execute.after");
      if (text !== "") messages.set(sessionID, text);
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const text = messages.get(sessionID);
      if (text) output.system.push(text);
    },
    event: async ({ event }) => {
      if (event.type === "session.deleted") messages.delete(event.properties?.info?.id);
    },
  };
};
