/**
 * The supported agents: what each one sends, and the form in which it expects an answer. docs/agents.md has the
 * sources.
 */

/** The input of a client's hook. Every field may be missing: clients and their versions differ. */
export interface HookInput {
  event: string;
  /** The client's id of the conversation; empty if it sends none. */
  session: string;
  /** The agent's folder; null if the client does not send it. */
  cwd: string | null;
  transcript: string | null;
  /** The event is a sub-agent's, whose conversation is not the user's. */
  isSubAgent: boolean;
  /** Why a session starts: startup, resume, compact, clear, … */
  source: string;
  tool: string;
  /** Of a shell tool; empty for any other one. */
  command: string;
}

/** What an event means besides the text that it may carry. */
export type Effect = "session ends" | "messages are lost" | "sub-agent starts" | "sub-agent ends";

export interface Client {
  /** The events at which the client accepts a text; at any other one it would be an error. */
  events: readonly string[];
  /** The events at which a session starts and a prompt arrives. */
  start: string | null;
  prompt: readonly string[];
  /** After a resume the conversation still has the texts of these events. */
  kept: readonly string[] | "all";
  /** What a summary of the conversation leaves in the transcript, for a client that reports none. */
  compaction: string | null;
  effect(input: HookInput): Effect | null;
  read(input: Record<string, unknown>, event: string): HookInput;
  /** The answer on stdout: one JSON document with only the properties that the client knows. */
  answer(text: string, event: string): unknown;
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** `{session_id, transcript_path, cwd, hook_event_name, …}`: Claude Code's input; Codex and Gemini CLI use the same. */
function readCommon(input: Record<string, unknown>, event: string): HookInput {
  return {
    event: text(input.hook_event_name) ?? event,
    session: text(input.session_id) ?? "",
    cwd: text(input.cwd),
    transcript: text(input.transcript_path),
    isSubAgent: text(input.agent_id) !== null,
    source: text(input.source) ?? "",
    tool: text(input.tool_name) ?? "",
    command: text((input.tool_input as { command?: unknown } | null | undefined)?.command) ?? "",
  };
}

const answerCommon = (additionalContext: string, hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

/** A summary has replaced the conversation, or nothing has. */
const isLostAtStart = ({ source }: HookInput) => source === "compact" || source === "clear";

const claudeLike: Client = {
  events: ["SessionStart", "PostToolUse", "UserPromptSubmit"],
  ...{ start: "SessionStart", prompt: ["UserPromptSubmit"], kept: "all", compaction: null },
  effect: (input) => {
    if (input.event === "SessionEnd") return "session ends";
    return input.event === "SessionStart" && isLostAtStart(input) ? "messages are lost" : null;
  },
  ...{ read: readCommon, answer: answerCommon },
};

/** The tool that starts a sub-agent. What a sub-agent sends looks like what its parent sends. */
export const GEMINI_SUB_AGENT = "invoke_agent";

const gemini: Client = {
  events: ["SessionStart", "AfterTool", "BeforeAgent"],
  ...{ start: "SessionStart", prompt: ["BeforeAgent"], kept: ["AfterTool"] },
  // PreCompress is no such report: it comes before every request, whether it is shortened or not.
  compaction: "<state_snapshot>",
  effect: (input) => {
    if (input.event === "SessionEnd") return "session ends";
    if (input.event === "SessionStart" && isLostAtStart(input)) return "messages are lost";
    if (input.tool !== GEMINI_SUB_AGENT) return null;
    return input.event === "BeforeTool" ? "sub-agent starts" : "sub-agent ends";
  },
  ...{ read: readCommon, answer: answerCommon },
};

const cursor: Client = {
  ...{ events: ["sessionStart"], start: "sessionStart", prompt: [], kept: "all", compaction: null },
  effect: () => null,
  // In Claude Code's settings the event has Claude Code's name. A window has one hook process for several folders; the agent starts in the first.
  read: (input, event) => ({
    ...readCommon(input, event),
    event: (text(input.hook_event_name) ?? event).replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
    session: text(input.conversation_id) ?? text(input.session_id) ?? "",
    cwd: text(input.cwd) ?? (Array.isArray(input.workspace_roots) ? text(input.workspace_roots[0]) : null),
  }),
  answer: (message) => ({ additional_context: message }),
};

const copilot: Client = {
  events: ["sessionStart", "postToolUse", "userPromptSubmitted"],
  ...{ start: "sessionStart", prompt: ["userPromptSubmitted"], kept: ["postToolUse", "userPromptSubmitted"] },
  compaction: null,
  effect: ({ event }) => {
    if (event === "sessionEnd") return "session ends";
    return event === "preCompact" ? "messages are lost" : null;
  },
  read: (input, event) => ({
    ...readCommon(input, event),
    session: text(input.sessionId) ?? text(input.session_id) ?? "",
    isSubAgent: text(input.agentId) !== null,
    tool: text(input.toolName) ?? "",
  }),
  answer: (message) => ({ additionalContext: message }),
};

/**
 * Not opencode's own format: what our plugin (templates/opencode.js) sends and accepts. The text for a session's first message is not
 * stored with it.
 */
const opencode: Client = {
  events: ["tool.execute.after", "chat.message", "chat.first"],
  ...{
    start: null,
    prompt: ["chat.message", "chat.first"],
    kept: ["tool.execute.after", "chat.message"],
    compaction: null,
  },
  effect: ({ event }) => {
    if (event === "session.deleted") return "session ends";
    return event === "session.compacted" ? "messages are lost" : null;
  },
  read: readCommon,
  answer: (message) => ({ text: message }),
};

/** A map, so that names of Object's own properties are no clients. */
export const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ["claude", claudeLike],
  ["codex", claudeLike],
  ["gemini", gemini],
  ["cursor", cursor],
  ["copilot", copilot],
  ["opencode", opencode],
]);

/** Who runs a hook, and by which name it is known. null: a client that is not supported. */
export interface HookCaller {
  name: string;
  client: Client;
}

/**
 * Cursor and Copilot CLI also run the hooks in Claude Code's settings. Cursor sends its own input. Copilot's is like Claude Code's but
 * without a transcript; it ignores an answer in Claude Code's form.
 */
export function callerOf(name: string, input: Record<string, unknown>): HookCaller | null {
  const client = CLIENTS.get(name);
  if (client === undefined) return null;
  if (name !== "claude") return { name, client };
  if (text(input.cursor_version) !== null) return { name: "cursor", client: cursor };
  const isCopilot = text(input.transcript_path) === null && text(input.timestamp) !== null;
  const kept = ["PostToolUse", "UserPromptSubmit"];
  return isCopilot ? { name: "copilot", client: { ...claudeLike, kept, answer: copilot.answer } } : { name, client };
}
