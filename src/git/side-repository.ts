import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, isUaError, UaError } from "../errors.js";
import { processNumber } from "../platform/process.js";
import { parseBatch } from "./blobs.js";
import type { RemoteAccess } from "./remote-config.js";
import { type GitOptions, git, gitLine } from "./run.js";

/**
 * A bare repository apart from the user's own: refs in it slow down no fetch of the user's, and show in no `git log --all`. Every call
 * names it with --git-dir, and runs in the user's work tree, where a remote's relative path means what it means there.
 */
export interface SideRepository {
  dir: string;
  cwd: string;
}

/** Made under another name and renamed. One of which a part is gone is made anew: all that it holds is elsewhere, too. */
export async function openSideRepository(dir: string, cwd: string): Promise<SideRepository> {
  if (["HEAD", "config", "objects", "refs"].every((name) => existsSync(join(dir, name)))) return { dir, cwd };
  rmSync(dir, { recursive: true, force: true });
  const format = await gitLine(cwd, ["rev-parse", "--show-object-format"]);
  const made = `${dir}.${processNumber()}`;
  rmSync(made, { recursive: true, force: true });
  const flags = ["--quiet", "--bare", "--template=", "--shared=0600", `--object-format=${format}`];
  await git(cwd, ["init", ...flags, made]);
  try {
    renameSync(made, dir);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another process was faster.
    if (!["ENOTEMPTY", "EEXIST"].includes(errnoOf(error) ?? "")) throw error;
  }
  return { dir, cwd };
}

export function sideGit({ dir, cwd }: SideRepository, args: readonly string[], options?: GitOptions): Promise<Buffer> {
  return git(cwd, ["--git-dir", dir, ...args], options);
}

export async function sideLine(
  side: SideRepository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await sideGit(side, args, options)).toString("utf8").replace(/\n$/, "");
}

/** Refs below a prefix, without it, and what they point to. */
export async function sideRefs(side: SideRepository, prefix: string): Promise<Map<string, string>> {
  const lines = await sideLine(side, ["for-each-ref", "--format=%(objectname) %(refname)", prefix]);
  return new Map(
    lines.split("\n").flatMap((line) => {
      const [oid = "", ref = ""] = line.split(" ");
      return ref.startsWith(prefix) ? [[ref.slice(prefix.length), oid] as const] : [];
    }),
  );
}

export interface SizedBlob {
  oid: string;
  size: number;
}

/** The contents of those blobs that are chosen by their sizes. What is no blob is left out. */
export async function sideBlobs(
  side: SideRepository,
  oids: readonly string[],
  choose: (blobs: readonly SizedBlob[]) => readonly SizedBlob[],
  each: (oid: string, content: Buffer) => void,
): Promise<void> {
  const input = (some: readonly string[]) => ({ input: some.map((oid) => `${oid}\n`).join("") });
  const format = "--batch-check=%(objectname) %(objecttype) %(objectsize)";
  const checked = await sideLine(side, ["cat-file", format], input(oids));
  const sized = choose(
    checked.split("\n").flatMap((line) => {
      const [oid = "", type, size] = line.split(" "); // `<oid> missing`
      return type === "blob" ? [{ oid, size: Number(size) }] : [];
    }),
  );
  for (let at = 0; at < sized.length; ) {
    let bytes = 0;
    const batch: string[] = [];
    for (; at < sized.length && (batch.length === 0 || bytes < BATCH_BYTES); at++) {
      bytes += sized[at]?.size ?? 0;
      batch.push(sized[at]?.oid ?? "");
    }
    for (const [oid, content] of parseBatch(await sideGit(side, ["cat-file", "--batch"], input(batch))))
      each(oid, content);
  }
}

/** How much is held in memory at a time. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** One connection may take this long, and bring this much. */
const NETWORK_MS = 600_000;
export const MOST_PACK_BYTES = 1024 * 1024 * 1024;
const WATCH_MS = 100;

export interface NetworkOptions {
  /** A user is at the terminal and can be asked for a password. */
  isAttended: boolean;
  git: Pick<GitOptions, "ok" | "onMessage">;
  mostBytes?: number;
}

/** The only git call that may use the network. Commands that the user typed come here; hooks, workers and reads never do. */
export async function networkGit(
  side: SideRepository,
  { env }: RemoteAccess,
  args: readonly string[],
  { isAttended, git: options, mostBytes = MOST_PACK_BYTES }: NetworkOptions,
): Promise<Buffer> {
  const abort = new AbortController();
  const before = new Set(unfinishedPacks(side));
  const own = () => unfinishedPacks(side).filter((file) => !before.has(file));
  const watch = setInterval(() => {
    if (own().reduce((sum, file) => sum + sizeOf(file), 0) > mostBytes) abort.abort(tooMuch(mostBytes));
  }, WATCH_MS);
  try {
    return await sideGit(side, args, {
      ...options,
      ...{ timeoutMs: NETWORK_MS, isInteractive: isAttended, signal: abort.signal },
      env: {
        ...env,
        GIT_TERMINAL_PROMPT: isAttended ? "1" : "0",
        GIT_ALLOW_PROTOCOL: process.env.GIT_ALLOW_PROTOCOL, // as git allows by itself, unless the user says otherwise
        // Without a terminal neither ssh nor a helper may open a window to ask.
        ...(isAttended ? {} : { GIT_ASKPASS: "", SSH_ASKPASS: "", GCM_INTERACTIVE: "never" }),
      },
    });
  } catch (error) {
    if (isTooMuch(error)) for (const file of own()) rmSync(file, { force: true });
    throw error;
  } finally {
    clearInterval(watch);
  }
}

const SENT_TOO_MUCH = "of descriptions at once";

function tooMuch(mostBytes: number): UaError {
  const what = `the remote sent more than ${Math.round(mostBytes / 1024 / 1024)} MB ${SENT_TOO_MUCH}`;
  return new UaError("failed", what, "`ua-hooks share forget <author>` leaves out an author who sends too much");
}

/** A fetch was ended because it brought more than it may. */
export function isTooMuch(error: unknown): boolean {
  return isUaError(error) && error.message.endsWith(SENT_TOO_MUCH);
}

/** What a fetch has received so far is in a file that is renamed at its end. */
function unfinishedPacks({ dir }: SideRepository): string[] {
  const packs = join(dir, "objects", "pack");
  try {
    const names = readdirSync(packs).filter((name) => name.startsWith("tmp_"));
    return names.map((name) => join(packs, name));
  } catch {
    return []; // no folder of packs yet
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** What killed fetches left. */
export function dropUnfinishedPacks({ dir }: SideRepository): void {
  const packs = join(dir, "objects", "pack");
  if (!existsSync(packs)) return;
  const hourAgo = Date.now() - 3_600_000;
  for (const name of readdirSync(packs)) {
    const file = join(packs, name);
    if (name.startsWith("tmp_") && (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? hourAgo) < hourAgo)
      rmSync(file, { force: true });
  }
}
