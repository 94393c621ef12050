import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import { parseSettings } from "./jsonc.js";

/** Some clients run the hooks of a project only after the user has trusted it, and skip them silently until then. */
interface TrustRule {
  /** Whether the client's own files say that it trusts the folder; null if they say nothing. */
  isTrusted(folder: string, home: string, env: NodeJS.ProcessEnv): boolean | null;
  /** What the user has to do. */
  next: string;
}

const RULES: ReadonlyMap<string, TrustRule> = new Map<string, TrustRule>([
  [
    "codex",
    {
      // One table per hook, with the hash that was trusted: [hooks.state."<file>:<event>:…"]. A changed hook is asked for again.
      isTrusted: (folder, home, env) => {
        const config = codexConfig(home, env);
        return config?.includes(join(folder, ".codex", "hooks.json")) === true && config.includes("trusted_hash");
      },
      next: "start codex here once and approve the hooks (`/hooks` lists them); it asks again after each change of them",
    },
  ],
  [
    "gemini",
    {
      isTrusted: (folder, home) => {
        const folders = objectOf(join(home, ".gemini", "trustedFolders.json"));
        return isListed(
          folder,
          Object.keys(folders).filter((path) => folders[path] !== "DO_NOT_TRUST"),
        );
      },
      next: "start gemini here once and trust the folder",
    },
  ],
  [
    "copilot",
    {
      isTrusted: (folder, home) => {
        const { trustedFolders, trusted_folders: older } = objectOf(join(home, ".copilot", "config.json"));
        const folders = [trustedFolders, older].flatMap((list) => (Array.isArray(list) ? list : []));
        return isListed(
          folder,
          folders.filter((path) => typeof path === "string"),
        );
      },
      next: "start copilot here once and trust the folder",
    },
  ],
]);

const codexConfig = (home: string, env: NodeJS.ProcessEnv) =>
  textOf(join(env.CODEX_HOME || join(home, ".codex"), "config.toml"));

/** Codex's usual sandbox cannot write .git, where a claim is stored. Our MCP server runs outside of it. */
export function needsMcp(client: string, env: NodeJS.ProcessEnv): boolean {
  if (client !== "codex") return false;
  const config = codexConfig(env.HOME || homedir(), env) ?? "";
  const isOpen = /^\s*sandbox_mode\s*=\s*["']danger-full-access["']/m.test(config);
  return !isOpen && !/^\s*\[mcp_servers\.["']?ua-hooks["']?\]/m.test(config);
}

/** null for a client that asks for no trust, or does not write down what it was given. */
export function isTrustedBy(client: string, folder: string, env: NodeJS.ProcessEnv): boolean | null {
  return RULES.get(client)?.isTrusted(folder, env.HOME || homedir(), env) ?? null;
}

/** What the user has to do so that the client runs our hooks; null if nothing. */
export function trustStep(client: string, folder: string, env: NodeJS.ProcessEnv): string | null {
  return isTrustedBy(client, folder, env) === false ? trustAdvice(client) : null;
}

export const trustAdvice = (client: string): string | null => RULES.get(client)?.next ?? null;

/** A folder is trusted with a folder above it. */
function isListed(folder: string, listed: readonly string[]): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if (listed.includes(path)) return true;
    if (path === dirname(path)) return false;
  }
}

function textOf(file: string): string | null {
  try {
    return readTextIfThere(file, MOST_TEXT_BYTES);
  } catch {
    return null; // not readable, or too large: then it says nothing
  }
}

function objectOf(file: string): Record<string, unknown> {
  try {
    return parseSettings(textOf(file) ?? "{}", file);
  } catch {
    return {}; // the client cannot read it either
  }
}
