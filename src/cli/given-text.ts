import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { errnoOf, UaError } from "../errors.js";
import { printable } from "./output.js";

/** More than any result, list of summaries or export of records. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * The text that a command is given: standard input (`-`), or a file, which may be a pipe as well (`<(…)`). With a limit (invariant
 * "everything has a bound"): a name in a checkout can be a link to a device.
 */
export async function readGiven(cwd: string, file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === "-" ? process.stdin : createReadStream(resolve(cwd, file))) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > MOST_BYTES)
        throw new UaError("usage", `${printable(file)} is not read: it has more than ${MOST_BYTES} bytes`);
    }
  } catch (error) {
    if (error instanceof UaError) throw error;
    throw new UaError("usage", `${printable(file)} cannot be read (${errnoOf(error) ?? "unknown"})`);
  }
  return Buffer.concat(chunks).toString("utf8");
}
