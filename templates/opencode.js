// ua-hooks: notifies opencode's agent when the knowledge graph no longer describes the code. Written by `ua-hooks install
// --agent opencode`; `ua-hooks uninstall` removes it. In a clone without ua-hooks it does nothing.
import { spawn } from "node:child_process";

const FIND =
  'd=$(git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null) && [ -f "$d/ua-hooks/agent.sh" ]';

/** Asks once; the answer is a text or nothing. It takes at most some seconds and never fails. */
function ask(cwd, sessionID, event, source) {
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
        resolve(JSON.parse(answer).text ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify({ session_id: sessionID, hook_event_name: event, source, cwd }));
  });
}

/** A part after the others of a message; parts are sorted by their ids. */
function addText(parts, text) {
  const last = parts?.at(-1);
  if (last === undefined) return;
  const { id, sessionID, messageID } = last;
  parts.push({ id: `${id}0`, sessionID, messageID, type: "text", text, synthetic: true });
}

export const UaHooks = async ({ directory, worktree, client }) => {
  const cwd = directory || worktree || process.cwd();
  const sessionOf = async (id) => {
    const found = await Promise.resolve(client?.session?.get({ path: { id } })).catch(() => undefined);
    return found?.data ?? {};
  };
  const seen = new Set();
  // opencode makes the title of a session from its first message as it is stored. A text for that message is added when the
  // conversation is sent, by the message's id.
  const firstTexts = new Map();
  return {
    "chat.message": async ({ sessionID }, output) => {
      const { parentID, title } = await sessionOf(sessionID);
      if (parentID) return; // a sub-agent's session: its parent gets the message
      const isFirst = /^New session/.test(title ?? "");
      const source = seen.has(sessionID) || isFirst ? "" : "resume";
      seen.add(sessionID);
      const text = await ask(cwd, sessionID, isFirst ? "chat.first" : "chat.message", source);
      if (text === "") return;
      if (isFirst) firstTexts.set(output?.message?.id, text);
      else addText(output?.parts, text);
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const { info, parts } of messages) if (firstTexts.has(info.id)) addText(parts, firstTexts.get(info.id));
    },
    "tool.execute.after": async ({ tool, sessionID }, output) => {
      if (tool !== "bash" || (await sessionOf(sessionID)).parentID) return;
      const text = await ask(cwd, sessionID, "tool.execute.after");
      if (text !== "" && output) output.output = `${output.output ?? ""}\n\n${text}`;
    },
    "shell.env": async ({ sessionID }, output) => {
      if (sessionID) output.env.UA_HOOKS_OPENCODE_SESSION = sessionID;
    },
    event: async ({ event: { type, properties } }) => {
      if (type === "session.compacted") {
        firstTexts.clear();
        await ask(cwd, properties?.sessionID, type);
      }
      if (type === "session.deleted") await ask(cwd, properties?.info?.id, type);
    },
  };
};
