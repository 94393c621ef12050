import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isUaError, UaError } from "../errors.js";
import { fileAt } from "../git/history.js";
import { defaultTip } from "../git/published.js";
import { signingConfig } from "../git/remote-config.js";
import { isRefusal } from "../git/run.js";
import { type SideRepository, sideGit } from "../git/side-repository.js";
import { emailOf, isAuthor } from "./authors.js";

/** In the repository, on the default branch: who may share. It is read there, and never from the work tree. */
export const SIGNERS_FILE = ".ua-hooks-signers";
const MOST_SIGNERS = 1_000;
const MOST_LIST = 1024 * 1024;

/** `<author> <ssh key type> <key>`, or `<author> gpg:<fingerprint>`; `#` begins a comment. */
interface Signer {
  ssh: string[];
  gpg: string[];
}

export type Signers = ReadonlyMap<string, Signer>;

/** null: the user's git is not set up to sign. */
export type Signing = { format: "ssh" | "openpgp"; config: [key: string, value: string][] };

/** The user's own key, as git would sign a commit with it. */
export async function ownSigning(cwd: string): Promise<Signing | null> {
  const config = await signingConfig(cwd);
  if ((config.get("user.signingkey") ?? "") === "") return null;
  const format = config.get("gpg.format") === "ssh" ? "ssh" : "openpgp";
  return { format, config: [...config].filter(([key]) => key !== "gpg.ssh.allowedsignersfile") };
}

export function signingArgs(signing: Signing | null): { config: string[]; flags: string[] } {
  if (signing === null) return { config: [], flags: ["--no-gpg-sign"] };
  return { config: signing.config.flatMap(([key, value]) => ["-c", `${key}=${value}`]), flags: ["-S"] };
}

/** The list at the tip of the remote's default branch, as it was last fetched. */
export async function readSigners(cwd: string, remote: string): Promise<Signers> {
  const tip = await defaultTip(cwd, remote);
  if (tip === null) {
    const next = `\`git remote set-head ${remote} --auto\` asks the remote for it`;
    throw new UaError("usage", `which branch of ${remote} is its default branch is not known here`, next);
  }
  const text = await fileAt(cwd, tip, SIGNERS_FILE);
  if (text === null) {
    const what = `the default branch of ${remote} has no ${SIGNERS_FILE}, so no signer is trusted`;
    const next = `add one there: a line \`<author> <public ssh key>\` or \`<author> gpg:<fingerprint>\` each; then \`git fetch ${remote}\``;
    throw new UaError("usage", what, next);
  }
  return parseSigners(text);
}

/** For where the list is a preference only. */
export async function listedAuthors(cwd: string, remote: string): Promise<string[]> {
  try {
    return [...(await readSigners(cwd, remote)).keys()];
  } catch (error) {
    if (isUaError(error)) return []; // most projects have none
    throw error;
  }
}

export function parseSigners(text: string): Signers {
  const signers = new Map<string, Signer>();
  for (const line of text.slice(0, MOST_LIST).split("\n")) {
    const [author = "", kind = "", key = ""] = line.trim().split(/\s+/);
    if (!isAuthor(author) || signers.size >= MOST_SIGNERS) continue;
    const signer = signers.get(author) ?? { ssh: [], gpg: [] };
    const [, fingerprint] = /^gpg:([0-9A-Fa-f]{40,64})$/.exec(kind) ?? [];
    if (fingerprint !== undefined) signer.gpg.push(fingerprint.toUpperCase());
    else if (/^(?:ssh-|ecdsa-|sk-)[\w@.-]+$/.test(kind) && /^[A-Za-z0-9+/=]+$/.test(key))
      signer.ssh.push(`${kind} ${key}`);
    else continue;
    signers.set(author, signer);
  }
  return signers;
}

/**
 * Whether a commit has a valid signature, and of that author: another author's valid one is none. Nor is one on another commit of that
 * author's: the same key signs code, and what others wrote stands below that.
 */
export async function isSignedBy(
  side: SideRepository,
  commit: string,
  author: string,
  signers: Signers,
): Promise<boolean> {
  const signer = signers.get(author);
  if (signer === undefined) return false;
  const folder = mkdtempSync(join(side.dir, "signers-"));
  try {
    const file = join(folder, "allowed");
    writeFileSync(file, signer.ssh.map((key) => `${author} namespaces="git" ${key}\n`).join(""), { mode: 0o600 });
    const config = ["-c", `gpg.ssh.allowedSignersFile=${file}`];
    // State, name and fingerprints of the signature (git-log(1), "%G?").
    const format = "--format=%ae%x00%ce%x00%G?%x00%GS%x00%GF%x00%GP";
    const output = await sideGit(side, [...config, "log", "-1", "--no-show-signature", format, commit]);
    const [by, committed, ...signature] = output.toString("utf8").trimEnd().split("\0");
    const isOwn = by === emailOf(author) && committed === emailOf(author);
    return isOwn && isListed(signature, author, signer);
  } catch (error) {
    if (isRefusal(error)) return false; // a damaged commit, or no commit at all
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** ssh: only that author's keys were given, under its name. gpg: by the fingerprint of the key or of its primary key. */
function isListed([state, name, ...fingerprints]: readonly string[], author: string, signer: Signer): boolean {
  const isSsh = fingerprints.some((one) => one.startsWith("SHA256:"));
  if (isSsh) return state === "G" && name === author;
  // U: valid, by a key that the user's own key ring does not call trusted; the project lists it.
  return (state === "G" || state === "U") && fingerprints.some((one) => signer.gpg.includes(one.toUpperCase()));
}
