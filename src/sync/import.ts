import type { LoadedContext } from "../repository/context.js";
import type { Commit } from "../verification/compare.js";
import type { Documents } from "./documents.js";

/** Documents that are not ours become statements and slices. */
export async function importDocuments(
  _context: LoadedContext,
  _head: Commit,
  documents: Documents,
  _options: { isCommand: boolean },
): Promise<void> {
  for (const { name } of documents.found) documents.accept(name);
}
