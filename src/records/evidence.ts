import { UaError } from "../errors.js";
import { encodePath } from "../git/paths.js";
import { readProjectBytes } from "../store/files.js";
import { EVIDENCE_KINDS, type Evidence, type EvidenceKind } from "./types.js";

/** Evidence that is a file of this worktree, and can be checked again. */
export function isOnDisk({ kind }: Pick<Evidence, "kind">): boolean {
  return kind === "file" || kind === "report";
}

/** `file:docs/a.md@L3-L9`, `commit:1a2b3c`, `url:https://…`, as given to a command. */
export function parseEvidence(text: string): Pick<Evidence, "kind" | "ref" | "locator"> {
  const colon = text.indexOf(":");
  const kind = EVIDENCE_KINDS.find((known) => known === text.slice(0, colon));
  const rest = text.slice(colon + 1);
  if (kind === undefined || rest === "") {
    const kinds = EVIDENCE_KINDS.join(", ");
    throw new UaError(
      "usage",
      `"${text}" is not valid evidence`,
      `use KIND:REF or KIND:REF@LOCATOR; kinds are ${kinds}`,
    );
  }
  const at = isOnDisk({ kind }) ? rest.lastIndexOf("@") : -1;
  return at < 1 ? { kind, ref: rest, locator: null } : { kind, ref: rest.slice(0, at), locator: rest.slice(at + 1) };
}

export function toKind(value: unknown): EvidenceKind | undefined {
  return EVIDENCE_KINDS.find((known) => known === value);
}

/** sha256 of the evidence in the current worktree; null if it is missing. */
export function digestOf(home: string, { ref, locator }: Pick<Evidence, "ref" | "locator">): string | null {
  if (ref.split("/").includes("..")) return null; // from an import: nothing outside the worktree is read
  const text = readEvidence(Buffer.concat([Buffer.from(`${home}/`), encodePath(ref)]), home);
  if (text === null) return null;
  const lines = locator === null ? null : /^L(\d+)(?:-L?(\d+))?$/.exec(locator);
  if (lines === null) return sha256(text);
  const [from, to] = [Number(lines[1]), Number(lines[2] ?? lines[1])];
  const chosen = text
    .toString("latin1")
    .split("\n")
    .slice(from - 1, to);
  return chosen.length === 0 ? null : sha256(Buffer.from(chosen.join("\n"), "latin1"));
}

/** null: not there, no regular file of the project, too large, or not ours to read; either way not what was quoted. */
function readEvidence(file: Buffer, home: string): Buffer | null {
  try {
    return readProjectBytes(file, home);
  } catch {
    return null;
  }
}

function sha256(content: Buffer): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}
