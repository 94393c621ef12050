/** The agents we speak to: what each one sends, and the one shape in which it listens. docs/agents.md has the sources. */

/** What a client told us about the moment. Every field may be missing: clients differ, and so do their versions. */
export interface HookInput {
  event: string;
  /** The conversation, as the client names it; empty where it does not. */
  session: string;
  /** Where the agent works; null where the client does not say. */
  cwd: string | null;
  transcript: string | null;
}

export interface Client {
  /** The events at which it takes a text; at any other one it would be noise, or an error. */
  events: readonly string[];
  /** The one at which a person has just said something. */
  prompt: string | null;
  read(input: Record<string, unknown>, event: string): HookInput;
  /** What goes to stdout: one JSON document, no property more than the client knows. */
  answer(text: string, event: string): unknown;
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** `{session_id, transcript_path, cwd, hook_event_name, …}`: Claude Code's input, which Codex and Gemini CLI took over. */
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

/** A map, so that no name of Object's own is a client. */
export const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  ["claude", common("UserPromptSubmit", "SessionStart", "PostToolUse")],
  ["codex", common("UserPromptSubmit", "SessionStart", "PostToolUse")],
  ["gemini", common("BeforeAgent", "SessionStart", "AfterTool")],
  [
    "cursor",
    {
      ...{ events: ["sessionStart"], prompt: null },
      // A window has one hook process for several folders; the first is where the agent starts.
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
    // Not opencode's own shape: what our plugin (templates/opencode.js) sends, and the system text that it takes.
    "opencode",
    {
      ...{ events: ["tool.execute.after", "chat.message"], prompt: "chat.message" },
      read: readCommon,
      answer: (words) => ({ system: words }),
    },
  ],
]);
