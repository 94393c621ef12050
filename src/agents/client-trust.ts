import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isObject } from "../store/check.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import { codexConfig } from "./codex-config.js";
import { isTrustedByCodex } from "./codex-trust.js";
import { parseSettings } from "./jsonc.js";

interface TrustedFolder {
  folder: string;
  home: string;
  env: NodeJS.ProcessEnv;
  /** Our settings file, as it is or as it will be written; null if there is none. */
  settings: string | null;
}

/** Some clients run the hooks of a project only after the user has trusted it, and skip them silently until then. */
interface TrustRule {
  /** Whether the client's own files say that it runs our hooks of the folder; null if they say nothing. */
  isTrusted(folder: TrustedFolder): boolean | null;
  /** What the user has to do. */
  next: string;
}

const RULES: ReadonlyMap<string, TrustRule> = new Map<string, TrustRule>([
  [
    "codex",
    {
      isTrusted: ({ folder, home, env, settings }) =>
        settings !== null && isTrustedByCodex(settings, join(folder, ".codex", "hooks.json"), codexConfig(home, env)),
      next: "start codex here once and approve the hooks (`/hooks` lists them); it asks again after each change of them",
    },
  ],
  [
    "gemini",
    {
      isTrusted: ({ folder, home, env }) => {
        const { security } = objectOf(join(home, ".gemini", "settings.json"));
        const { folderTrust } = isObject(security) ? security : {};
        if (isObject(folderTrust) && folderTrust.enabled === false) return null; // it trusts every folder
        const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, ".gemini", "trustedFolders.json");
        return isTrustedByGemini(folder, objectOf(file));
      },
      next: "start gemini here once and trust the folder",
    },
  ],
  [
    "copilot",
    {
      isTrusted: ({ folder, home }) => {
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

/** Codex's usual sandbox cannot write .git, where a claim is stored. Our MCP server runs outside of it. */
export function needsMcp(client: string, env: NodeJS.ProcessEnv): boolean {
  if (client !== "codex") return false;
  const config = codexConfig(env.HOME || homedir(), env);
  const isOpen = /^\s*sandbox_mode\s*=\s*["']danger-full-access["']/m.test(config);
  return !isOpen && !/^\s*\[mcp_servers\.["']?ua-hooks["']?\]/m.test(config);
}

/** null for a client that asks for no trust, or does not write down what it was given. */
export function isTrustedBy(client: string, given: Omit<TrustedFolder, "home">): boolean | null {
  try {
    return RULES.get(client)?.isTrusted({ ...given, home: given.env.HOME || homedir() }) ?? null;
  } catch {
    return null; // settings that cannot be read: reported as damaged
  }
}

/** What the user has to do so that the client runs our hooks; null if nothing. */
export function trustStep(client: string, given: Omit<TrustedFolder, "home">): string | null {
  return isTrustedBy(client, given) === false ? trustAdvice(client) : null;
}

export const trustAdvice = (client: string): string | null => RULES.get(client)?.next ?? null;

/** The longest path that has an effect here decides, as written in its file. TRUST_PARENT is about the folder around the path. */
function isTrustedByGemini(folder: string, levels: Record<string, unknown>): boolean {
  const [, level] = Object.entries(levels)
    .filter(([path, given]) => isListed(folder, [given === "TRUST_PARENT" ? dirname(path) : path]))
    .reduce((best, one) => (one[0].length > best[0].length ? one : best), ["", null]);
  return level === "TRUST_FOLDER" || level === "TRUST_PARENT";
}

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
