/**
 * What each client sends, as its documentation and source say (docs/agents.md): every field that it has, with made-up
 * values. `cwd` is where the agent works.
 */
export interface Sample {
  client: string;
  event: string;
  input: Record<string, unknown>;
  /** The document that carries a text in this client's shape. */
  shape(text: string): unknown;
}

const SESSION = "0b7f7a52-3a3e-4a57-9d5c-6f1d2c3b4a59";

const specific = (hookEventName: string) => (additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

function claude(event: string, more: Record<string, unknown>): Sample {
  const base = {
    session_id: SESSION,
    transcript_path: "/home/a/.claude/projects/x/s.jsonl",
    permission_mode: "default",
  };
  return { client: "claude", event, input: { ...base, hook_event_name: event, ...more }, shape: specific(event) };
}

function codex(event: string, more: Record<string, unknown>): Sample {
  const base = { session_id: SESSION, transcript_path: null, model: "gpt-5.2-codex", permission_mode: "default" };
  return { client: "codex", event, input: { ...base, hook_event_name: event, ...more }, shape: specific(event) };
}

function gemini(event: string, more: Record<string, unknown>): Sample {
  const base = { session_id: SESSION, transcript_path: "/home/a/.gemini/tmp/x/chats/s.json" };
  const input = { ...base, hook_event_name: event, timestamp: "2026-05-04T03:02:01.000Z", ...more };
  return { client: "gemini", event, input, shape: specific(event) };
}

const bash = { tool_name: "Bash", tool_input: { command: "git commit -m x", description: "Commit" } };

export const SAMPLES: readonly Sample[] = [
  claude("SessionStart", { source: "startup", model: "claude-opus-4-5" }),
  claude("PostToolUse", { ...bash, tool_response: { stdout: "", stderr: "", interrupted: false }, tool_use_id: "t1" }),
  claude("UserPromptSubmit", { prompt: "What does src/a.ts do?" }),
  codex("SessionStart", { source: "startup" }),
  codex("PostToolUse", { turn_id: "1", ...bash, tool_response: "ok", tool_use_id: "call_1" }),
  codex("UserPromptSubmit", { turn_id: "1", prompt: "What does src/a.ts do?" }),
  gemini("SessionStart", { source: "startup" }),
  gemini("BeforeAgent", { prompt: "What does src/a.ts do?" }),
  gemini("AfterTool", {
    tool_name: "run_shell_command",
    tool_input: { command: "git commit -m x" },
    tool_response: { llmContent: "ok", returnDisplay: "ok" },
  }),
  {
    client: "cursor",
    event: "sessionStart",
    input: {
      ...{ conversation_id: SESSION, generation_id: "g1", model: "composer-1", hook_event_name: "sessionStart" },
      ...{ cursor_version: "2.4.20", workspace_roots: [], user_email: "a@example.com", transcript_path: null },
      ...{ session_id: SESSION, is_background_agent: false, composer_mode: "agent" },
    },
    shape: (text) => ({ additional_context: text }),
  },
  {
    client: "copilot",
    event: "sessionStart",
    input: { sessionId: SESSION, timestamp: 1777863721000, source: "new", initialPrompt: "What does src/a.ts do?" },
    shape: (text) => ({ additionalContext: text }),
  },
  {
    client: "copilot",
    event: "userPromptSubmitted",
    input: { sessionId: SESSION, timestamp: 1777863721000, prompt: "What does src/a.ts do?" },
    shape: (text) => ({ additionalContext: text }),
  },
  {
    client: "copilot",
    event: "postToolUse",
    input: {
      ...{ sessionId: SESSION, timestamp: 1777863721000, toolName: "bash", toolArgs: { command: "git commit -m x" } },
      toolResult: { resultType: "success", textResultForLlm: "ok" },
    },
    shape: (text) => ({ additionalContext: text }),
  },
  {
    client: "opencode",
    event: "chat.message",
    input: { session_id: SESSION, hook_event_name: "chat.message" },
    shape: (text) => ({ text }),
  },
];

/** Each client says in its own way where the agent works. */
export function at(sample: Sample, cwd: string): Record<string, unknown> {
  if (sample.client === "cursor") return { ...sample.input, workspace_roots: [cwd] };
  return { ...sample.input, cwd };
}
