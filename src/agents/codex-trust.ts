import { isObject } from "../store/check.js";
import { parseSettings } from "./jsonc.js";
import { isOurEntry } from "./settings-files.js";

/**
 * Codex runs a hook only if its config has the hash that the user approved: `[hooks.state."<file>:<event>:<group>:<hook>"]` with
 * `trusted_hash = "sha256:…"`. A hook that changed since is skipped silently, until it is approved again (openai/codex,
 * codex-rs/hooks/src/engine/discovery.rs, codex-rs/config/src/fingerprint.rs).
 */
export function isTrustedByCodex(settings: string, file: string, config: string): boolean {
  const hooks = hooksForCodex(settings, file);
  return hooks.length > 0 && hooks.every(({ key, hash }) => stateOf(key, config) === hash);
}

interface ApprovedHook {
  key: string;
  hash: string;
}

/** Our hooks, by the names and hashes that Codex knows them by. */
export function hooksForCodex(settings: string, file: string): ApprovedHook[] {
  const { hooks } = parseSettings(settings, file);
  return Object.entries(isObject(hooks) ? hooks : {}).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, at) =>
      listOf(group.hooks).flatMap((hook, index) => {
        if (!isOurEntry(hook)) return [];
        const label = event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
        return [{ key: `${file}:${label}:${at}:${index}`, hash: hashOf(label, group.matcher, hook) }];
      }),
    ),
  );
}

const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Of the canonical JSON: keys in order, without blanks, as Codex fills in what is left out. */
function hashOf(
  label: string,
  matcher: unknown,
  { command, timeout, async: isAsync }: Record<string, unknown>,
): string {
  const hook = { async: isAsync === true, command, timeout: timeout ?? 600, type: "command" };
  const identity = { event_name: label, hooks: [hook], ...(typeof matcher === "string" ? { matcher } : {}) };
  return `sha256:${process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(identity), "hex")}`;
}

/** The hash that was approved; null if none was, or if the user has switched the hook off. */
function stateOf(key: string, config: string): string | null {
  const at = config.indexOf(JSON.stringify(key));
  if (at < 0) return null;
  // Up to the next table; TOML has it as a table or inline.
  const [table = ""] = config
    .slice(at + JSON.stringify(key).length)
    .replace(/^\s*\]/, "")
    .split(/^\s*\[|\}/m);
  if (/\benabled\s*=\s*false\b/.test(table)) return null;
  return /\btrusted_hash\s*=\s*["'](sha256:[0-9a-f]+)["']/.exec(table)?.[1] ?? null;
}
