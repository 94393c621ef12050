import { blobOid } from "../git/blobs.js";
import { isRefusal } from "../git/run.js";
import { type SideRepository, sideGit } from "../git/side-repository.js";
import { emailOf, ownRef } from "./authors.js";
import { MESSAGE, segmentName } from "./chain.js";

/** What was added to a ref: the segments' blobs, and the commit that the ref is at now. */
export interface Appended {
  oids: string[];
  tip: string;
}

/**
 * Adds segments to this clone's own ref, in one process. null: another process has moved the ref; nothing is changed. Commits that
 * are signed need more (chain.ts).
 */
export async function appendUnsigned(
  side: SideRepository,
  own: { remote: string; author: string },
  texts: readonly string[],
  { parent, digits }: { parent: string | null; digits: number },
): Promise<Appended | null> {
  const contents = texts.map((text) => Buffer.from(text));
  const oids = contents.map((content) => blobOid(content, digits));
  const who = `ua-hooks <${emailOf(own.author)}> ${Math.floor(Date.now() / 1000)} +0000`;
  const commits = contents.map((content, at) => {
    const oid = oids[at] ?? "";
    const from = at === 0 ? (parent === null ? "" : `from ${parent}\n`) : `from :${at}\n`;
    const head = `commit ${ownRef(own)}\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\n`;
    const message = `data ${MESSAGE.length + 1}\n${MESSAGE}\n\n`;
    const file = `deleteall\nM 100644 inline ${segmentName(oid)}\ndata ${content.length}\n${content.toString("utf8")}\n`;
    return `${head}${message}${from}${file}`;
  });
  // git-fast-import(1): get-mark prints the commit; without --force a ref that is not below it stays where it is.
  const input = `${commits.join("")}get-mark :${commits.length}\ndone\n`;
  try {
    const output = await sideGit(side, ["fast-import", "--quiet", "--done", "--date-format=raw"], { input });
    return { oids, tip: output.toString("latin1").trim() };
  } catch (error) {
    if (isRefusal(error) && /does not contain|cannot lock ref/.test(error.stderr)) return null;
    throw error;
  }
}
