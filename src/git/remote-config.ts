import { git } from "./run.js";

export interface ConfigEntry {
  key: string;
  value: string;
}

/** What a connection to a remote needs. Filters, hooks, refspecs and all else of the clone stay behind. */
function isPassedOn({ key }: ConfigEntry, remote: string): boolean {
  // git prints section and name in lower case, the part between as it is.
  if (/^(?:credential|http|url)\./.test(key) || key === "core.sshcommand") return true;
  return ["url", "pushurl", "proxy"].some((name) => key === `remote.${remote}.${name}`);
}

/** Config in the user's environment counts for a command that the user typed. */
const OWN_CONFIG = /^GIT_CONFIG_(?:COUNT|PARAMETERS|KEY_\d+|VALUE_\d+)$/;

function ownConfigEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => OWN_CONFIG.test(name));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

export interface ScopedEntry extends ConfigEntry {
  scope: string;
  /** `file:<path>`, and others. */
  origin: string;
}

/** `<scope>\0<origin>\0<key>\n<value>\0`; a key without a value has no line feed (git-config(1), "--null"). */
export async function listConfig(cwd: string, { gitDir }: { gitDir?: string } = {}): Promise<ScopedEntry[]> {
  const where = gitDir === undefined ? [] : ["--git-dir", gitDir];
  const args = [...where, "config", "--list", "--null", "--show-scope", "--show-origin"];
  const fields = (await git(cwd, args, gitDir === undefined ? { env: ownConfigEnv() } : {}))
    .toString("utf8")
    .split("\0");
  const entries: ScopedEntry[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", entry = ""] = fields.slice(at, at + 3);
    const end = entry.indexOf("\n");
    const [key, value] = end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    entries.push({ scope, origin, key, value });
  }
  return entries;
}

export interface RemoteAccess {
  /** For the environment of a git that runs in another repository. */
  env: Record<string, string>;
}

/**
 * How the clone reaches a remote, for a git in the repository `dir`: what the clone's git reads and that one does not. What both
 * read (the user's own files) is not given twice: a header that is sent twice is refused. null: there is no such remote.
 */
export async function remoteAccess(
  { cwd, dir: gitDir }: { cwd: string; dir: string },
  remote: string,
  ours: readonly ScopedEntry[],
): Promise<RemoteAccess | null> {
  if (!ours.some(({ key }) => key === `remote.${remote}.url`)) return null;
  const wanted = ours.filter((entry) => isPassedOn(entry, remote));
  const isUsers = ({ scope }: ScopedEntry) => scope === "global" || scope === "system";
  // A file that one of the user's own includes may be meant for this clone alone (includeIf).
  const isIncluded = wanted.filter(isUsers).some(({ origin }) => !/[/\\](?:\.?gitconfig|git[/\\]config)$/.test(origin));
  const theirs = isIncluded ? await listConfig(cwd, { gitDir }) : ours.filter(isUsers);
  return { env: configEnv(difference(wanted, theirs)) };
}

/** Where a remote is, as the clone's config says it, without a name or password: a token may change. */
export function remoteAddress(entries: readonly ConfigEntry[], remote: string): string {
  const names = [`remote.${remote}.url`, `remote.${remote}.pushurl`];
  const values = entries.filter(({ key }) => names.includes(key)).map(({ value }) => value);
  return values.map((value) => value.replace(/:\/\/[^@/\s]*@/, "://")).join(" ");
}

/** By count: the same header may be set twice. */
function difference(entries: readonly ScopedEntry[], without: readonly ScopedEntry[]): ConfigEntry[] {
  const text = ({ key, value }: ConfigEntry) => JSON.stringify([key, value]);
  const left = without.map(text);
  return entries.filter((entry) => {
    const at = left.indexOf(text(entry));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function configEnv(entries: readonly ConfigEntry[]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(entries.length) };
  for (const [at, { key, value }] of entries.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return env;
}

/** The values that sign a commit, as the clone's git reads them. */
export async function signingConfig(cwd: string): Promise<Map<string, string>> {
  const entries = await listConfig(cwd);
  const wanted = /^(?:user\.signingkey|gpg\..*|gpg\.format)$/;
  return new Map(entries.filter(({ key }) => wanted.test(key)).map(({ key, value }) => [key, value]));
}

/** The names of all remotes. */
export async function remoteNames(cwd: string): Promise<string[]> {
  return (await git(cwd, ["remote"]))
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
}
