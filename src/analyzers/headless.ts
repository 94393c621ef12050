import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withoutGitEnv } from "../git/run.js";
import { programPath } from "../platform/program-path.js";
import type { HeadlessName } from "../repository/config.js";
import { type RunLimits, runLimited } from "./run-limited.js";

/**
 * Coding agents that describe code without a session: started once with a prompt on standard input, in an empty folder. Only those that are
 * seen to offer their model no tool (`npm run test:clients`): then nothing that the code says can act.
 */
interface HeadlessClient {
  args: readonly string[];
  /** Files in the folder that is empty otherwise. */
  files?: Record<string, string>;
  env?: Record<string, string>;
}

const HEADLESS: Record<HeadlessName, HeadlessClient> = {
  claude: {
    args: [
      ...["--print", "--tools", "", "--strict-mcp-config", "--setting-sources", "user"],
      ...["--disable-slash-commands", "--no-session-persistence"],
    ],
  },
  copilot: {
    args: [
      ...["--available-tools=none", "--disable-builtin-mcps", "--no-custom-instructions", "--no-ask-user"],
      ...["--no-auto-update", "--no-color", "--silent"],
    ],
  },
  gemini: {
    args: ["--extensions", "none", "--allowed-mcp-server-names", "none", "--output-format", "text"],
    // Of the folder that it runs in, which is trusted for this once: it reads no other settings file of ours.
    files: { ".gemini/settings.json": JSON.stringify({ tools: { core: [] }, hooksConfig: { enabled: false } }) },
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
  opencode: {
    args: ["run", "--pure"],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: { "*": "deny" }, tools: { "*": false } }),
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    },
  },
};

/** An answer is descriptions only. */
const MOST_ANSWER_BYTES = 1024 * 1024;

/** What the client prints for a prompt. `root`: the project, none of whose programs is started. */
export async function askHeadless(
  name: HeadlessName,
  prompt: string,
  { root, timeoutMs, onOutput }: { root: string } & Pick<RunLimits, "timeoutMs" | "onOutput">,
): Promise<string> {
  const client = HEADLESS[name];
  const folder = mkdtempSync(join(tmpdir(), "ua-hooks-analyzer-"));
  try {
    for (const [file, text] of Object.entries(client.files ?? {})) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const env = { ...withoutGitEnv(), PATH: programPath(root), UA_HOOKS: "0", ...client.env };
    const limits = { timeoutMs, mostBytes: MOST_ANSWER_BYTES, ...(onOutput === undefined ? {} : { onOutput }) };
    return await runLimited([name, ...client.args], { cwd: folder, env, input: prompt }, limits);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
