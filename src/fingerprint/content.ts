import { createHash } from "node:crypto";

/**
 * sha256 of a file's content, as Understand-Anything has it in fingerprints.json.
 *
 * @example contentHash(readFileSync("src/a.ts", "utf8"))
 */
export function contentHash(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The one reason for a content-only fingerprint that depends on the machine's day: such a fact is not kept. */
export const GAVE_UP = "the parser gave up within its time budget";
