import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelRequest } from "./model-server.js";

/** Where a client runs: a HOME of its own, a scratch repository, the model on loopback. */
export interface Place {
  home: string;
  repo: string;
  modelUrl: string;
}

/** One start of a client with a prompt. `resume`: goes on with the conversation of the start before. */
export interface Turn {
  prompt: string;
  session: string;
  resume: boolean;
  /** Without what makes the client trust our hooks. */
  untrusted: boolean;
}

/** A real coding agent from the npm registry. */
export interface RealClient {
  name: string;
  /** As people write it. */
  title: string;
  package: string;
  version: string;
  bin: string;
  /** The program itself, in a package of its own: for an npm that runs no install scripts. */
  native?: string;
  /** What its user has set up before: no first-run questions, the folder trusted, the model's address. */
  prepare(place: Place): void;
  env(place: Place): Record<string, string>;
  args(turn: Turn, place: Place): string[];
  /** The tool that runs a command, and the tool that starts a sub-agent. */
  shell: RegExp;
  shellInput(command: string): Record<string, unknown>;
  subAgent: RegExp;
  subAgentInput(prompt: string): Record<string, unknown>;
  /** The tool that waits for a sub-agent, for a client that goes on meanwhile. */
  waiting?: { tool: RegExp; input: (request: ModelRequest) => Record<string, unknown> };
  /** The id of the conversation, for a client that chooses it. */
  sessionFrom?(output: string): string | undefined;
  /** A prompt that makes it shorten the conversation; or it does so by itself, after an answer that took many tokens: a text or a call. */
  compact: { prompt: string } | "after a text" | "after a call";
  /** The file in the repository that install writes for it. */
  settings: string;
  /** A command of the client with which it writes that file anew, and what is in it then. */
  rewrite?: { args(place: Place): string[]; adds: string };
  /** Takes the user's trust in the folder back, for a client that asks for it. */
  distrust?(place: Place): void;
  /** Commands of the client that install the plugin of a marketplace in this folder, and enable it. */
  plugin?(market: string, name: string): string[][];
  /** Adds our MCP server to its settings. */
  addMcp(place: Place, command: string, args: readonly string[]): void;
}

function writeHome({ home }: Place, path: string, content: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

const PLATFORM = `${process.platform}-${process.arch}`;
const KEY = "invented-key-for-a-model-on-loopback";

const CLAUDE: RealClient = {
  ...{ name: "claude", title: "Claude Code", package: "@anthropic-ai/claude-code", version: "2.1.327", bin: "claude" },
  native: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
  prepare: (place) =>
    writeHome(place, ".claude.json", {
      hasCompletedOnboarding: true,
      projects: { [place.repo]: { hasTrustDialogAccepted: true } },
    }),
  env: ({ modelUrl }) => ({
    ...{ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
    ENABLE_TOOL_SEARCH: "false",
    ...{ IS_SANDBOX: "1", DISABLE_AUTOUPDATER: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1" },
  }),
  args: ({ prompt, session, resume }) => [
    ...["-p", prompt, resume ? "--resume" : "--session-id", session],
    ...["--dangerously-skip-permissions"],
  ],
  settings: ".claude/settings.local.json",
  rewrite: {
    args: (place) => {
      const market = { name: "theirs", owner: { name: "A" }, plugins: [] };
      writeHome(place, "market/.claude-plugin/marketplace.json", market);
      return ["plugin", "marketplace", "add", join(place.home, "market"), "--scope", "local"];
    },
    adds: "theirs",
  },
  plugin: (market, name) => [
    ["plugin", "marketplace", "add", market],
    ["plugin", "install", name],
  ],
  compact: { prompt: "/compact" },
  shell: /^Bash$/,
  shellInput: (command) => ({ command, description: "Runs a command" }),
  subAgent: /^(Task|Agent)$/,
  subAgentInput: (prompt) => ({
    description: "A part",
    prompt,
    subagent_type: "general-purpose",
    run_in_background: false,
  }),
  addMcp: (place, command, args) =>
    writeHome(place, ".claude.json", {
      hasCompletedOnboarding: true,
      projects: { [place.repo]: { hasTrustDialogAccepted: true } },
      mcpServers: { "ua-hooks": { type: "stdio", command, args } },
    }),
};

const codexConfig = ({ modelUrl, repo }: Place) => `model = "model"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
model_auto_compact_token_limit = 100000
model_context_window = 200000

[model_providers.loopback]
name = "loopback"
base_url = "${modelUrl}/v1"
env_key = "LOOPBACK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects."${repo}"]
trust_level = "trusted"
`;

const CODEX: RealClient = {
  ...{ name: "codex", title: "Codex", package: "@openai/codex", version: "0.169.0", bin: "codex" },
  prepare: (place) => writeHome(place, ".codex/config.toml", codexConfig(place)),
  env: () => ({ LOOPBACK_KEY: KEY }),
  args: ({ prompt, session, resume, untrusted }) => [
    "exec",
    ...(resume ? ["resume"] : []),
    ...(untrusted ? [] : ["--dangerously-bypass-hook-trust"]),
    "--skip-git-repo-check",
    ...(resume ? [session, prompt] : [prompt]),
  ],
  plugin: (market, name) => [
    ["plugin", "marketplace", "add", market],
    ["plugin", "add", name],
  ],
  settings: ".codex/hooks.json",
  compact: "after a text",
  sessionFrom: (output) => /session id: (\S+)/.exec(output)?.[1],
  waiting: {
    tool: /wait_agent$/,
    input: ({ messages }) => ({
      targets: [/"agent_id":\s*"([^"]+)"/.exec(messages.at(-1)?.text ?? "")?.[1] ?? ""],
      timeout_ms: 60_000,
    }),
  },
  shell: /^(shell|shell_command|exec_command|local_shell)$/,
  shellInput: (command) => ({ command, cmd: command }),
  subAgent: /spawn_agent$/,
  subAgentInput: (prompt) => ({ message: prompt }),
  addMcp: (place, command, args) =>
    writeHome(
      place,
      ".codex/config.toml",
      `${codexConfig(place)}\n[mcp_servers.ua-hooks]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
    ),
};

const geminiSettings = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
  general: { disableAutoUpdate: true, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

const GEMINI: RealClient = {
  ...{ name: "gemini", title: "Gemini CLI", package: "@google/gemini-cli", version: "0.61.0", bin: "gemini" },
  prepare: (place) => {
    writeHome(place, ".gemini/settings.json", geminiSettings);
    writeHome(place, ".gemini/trustedFolders.json", { [place.repo]: "TRUST_FOLDER" });
  },
  env: ({ modelUrl }) => ({ GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: KEY, GEMINI_CLI_NO_RELAUNCH: "1" }),
  args: ({ prompt, session, resume }) => [
    ...(resume ? ["--resume", "latest"] : ["--session-id", session]),
    ...["--approval-mode", "yolo", "-m", "gemini-2.5-pro", "-p", prompt],
  ],
  settings: ".gemini/settings.json",
  rewrite: { args: () => ["mcp", "add", "--scope", "project", "theirs", "node", "server.js"], adds: "theirs" },
  distrust: (place) => writeHome(place, ".gemini/trustedFolders.json", {}),
  compact: "after a call",
  shell: /^run_shell_command$/,
  shellInput: (command) => ({ command, description: "Runs a command" }),
  subAgent: /^(generalist|invoke_agent|codebase_investigator)$/,
  subAgentInput: (prompt) => ({ request: prompt, objective: prompt, agent_name: "generalist", prompt }),
  addMcp: (place, command, args) =>
    writeHome(place, ".gemini/settings.json", {
      ...geminiSettings,
      mcpServers: { "ua-hooks": { command, args, trust: true } },
    }),
};

const COPILOT: RealClient = {
  ...{ name: "copilot", title: "Copilot CLI", package: "@github/copilot", version: "1.0.102", bin: "copilot" },
  prepare: (place) => writeHome(place, ".copilot/config.json", { trusted_folders: [place.repo], banner: "never" }),
  env: ({ modelUrl }) => ({
    ...{ COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`, COPILOT_PROVIDER_API_KEY: KEY, COPILOT_MODEL: "model" },
    ...{ COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
  }),
  args: ({ prompt, session }) => [
    ...["-p", prompt, "--session-id", session, "--allow-all-tools", "--no-auto-update", "--disable-builtin-mcps"],
    ...["--no-color"],
  ],
  settings: ".github/hooks/ua-hooks.json",
  distrust: (place) => writeHome(place, ".copilot/config.json", { banner: "never" }),
  compact: { prompt: "/compact" },
  shell: /^bash$/,
  shellInput: (command) => ({ command, description: "Runs a command", mode: "sync", initial_wait: 30 }),
  subAgent: /^task$/,
  subAgentInput: (prompt) => ({
    ...{ name: "part", description: "A part", prompt, agent_type: "general-purpose", mode: "sync" },
  }),
  addMcp: (place, command, args) =>
    writeHome(place, ".copilot/mcp-config.json", {
      mcpServers: { "ua-hooks": { type: "local", command, args, tools: ["*"] } },
    }),
};

const opencodeConfig = ({ modelUrl }: Place) => ({
  $schema: "https://opencode.ai/config.json",
  autoupdate: false,
  share: "disabled",
  model: "loopback/model",
  small_model: "loopback/small",
  provider: {
    loopback: {
      npm: "@ai-sdk/openai-compatible",
      name: "loopback",
      options: { baseURL: `${modelUrl}/v1`, apiKey: KEY },
      models: {
        model: { name: "model", tool_call: true, limit: { context: 200_000, output: 8000 } },
        small: { name: "small" },
      },
    },
  },
});

const OPENCODE: RealClient = {
  ...{ name: "opencode", title: "opencode", package: "opencode-ai", version: "1.18.33", bin: "opencode" },
  native: `opencode-${PLATFORM}/bin/opencode`,
  prepare: (place) => {
    writeHome(place, "opencode.json", opencodeConfig(place));
    // It installs a package of 63 MB into its own folder, unless that is there already.
    const packages = { "": { dependencies: { "@opencode-ai/plugin": "*" } } };
    writeHome(place, ".config/opencode/package-lock.json", { packages });
    writeHome(place, ".config/opencode/node_modules/.keep", "");
  },
  env: ({ home }) => ({
    OPENCODE_CONFIG: join(home, "opencode.json"),
    ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
  }),
  args: ({ prompt, resume }) => ["run", ...(resume ? ["--continue"] : []), "--auto", prompt],
  settings: "opencode.jsonc",
  rewrite: { args: () => ["mcp", "list"], adds: "https://opencode.ai/config.json" }, // at every start
  compact: "after a call",
  shell: /^bash$/,
  shellInput: (command) => ({ command, description: "Runs a command" }),
  subAgent: /^task$/,
  subAgentInput: (prompt) => ({ description: "A part", prompt, subagent_type: "general" }),
  addMcp: (place, command, args) =>
    writeHome(place, "opencode.json", {
      ...opencodeConfig(place),
      mcp: { "ua-hooks": { type: "local", command: [command, ...args], enabled: true } },
    }),
};

export const REAL_CLIENTS: readonly RealClient[] = [CLAUDE, CODEX, GEMINI, COPILOT, OPENCODE];
