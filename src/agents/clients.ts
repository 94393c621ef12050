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
}

export interface Client {
  /** The events at which the client accepts a text; at any other one it would be an error. */
  events: readonly string[];
  /** The event of a new prompt. */
  prompt: string | null;
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
  };
}

const answerCommon = (additionalContext: string, hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

const common = (prompt: string, ...others: string[]): Client => ({
  ...{ events: [...others, prompt], prompt },
  ...{ read: readCommon, answer: answerCommon },
});

/** A map, so that names of Object's own properties are no clients. */
export const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ["claude", common("UserPromptSubmit", "SessionStart", "PostToolUse")],
  ["codex", common("UserPromptSubmit", "SessionStart", "PostToolUse")],
  ["gemini", common("BeforeAgent", "SessionStart", "AfterTool")],
  [
    "cursor",
    {
      ...{ events: ["sessionStart"], prompt: null },
      // A window has one hook process for several folders; the agent starts in the first.
      read: (input, event) => ({
        ...readCommon(input, event),
        session: text(input.conversation_id) ?? text(input.session_id) ?? "",
        cwd: text(input.cwd) ?? (Array.isArray(input.workspace_roots) ? text(input.workspace_roots[0]) : null),
      }),
      answer: (words) => ({ additional_context: words }),
    },
  ],
  [
    "copilot",
    {
      ...{ events: ["sessionStart"], prompt: null },
      read: (input, event) => ({
        ...readCommon(input, event),
        session: text(input.sessionId) ?? text(input.session_id) ?? "",
      }),
      answer: (words) => ({ additionalContext: words }),
    },
  ],
  [
    // Not opencode's own format: what our plugin (templates/opencode.js) sends, and the system text that it accepts.
    "opencode",
    {
      ...{ events: ["tool.execute.after", "chat.message"], prompt: "chat.message" },
      read: readCommon,
      answer: (words) => ({ system: words }),
    },
  ],
]);
