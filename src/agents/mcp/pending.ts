import { z } from "zod";
import type { Marker } from "../../marker/marker.js";

export const entry = z.object({
  path: z.string(),
  what: z.enum(["analyse", "deleted", "renamed", "dependent"]),
  drift: z.string().nullable().describe("none, cosmetic, body, behaviour, interface, new or gone"),
  details: z.array(z.string()),
  symbols: z.array(z.string()).describe("ids to describe; empty for a new file, of which everything is"),
  from: z.string().nullable().describe("the old name of a renamed file"),
});

type PendingEntry = z.input<typeof entry>;

/** The files of a marker as one list for paging: files to analyse first. */
export function entriesOf(marker: Marker): PendingEntry[] {
  const changes = new Map(marker.fileChanges.map((change) => [change.filePath, change]));
  const renames = new Map(marker.renamedFiles.map(({ from, to }) => [to, from]));
  const listed = new Set(marker.filesToReanalyze);
  const toEntry = (path: string, what: PendingEntry["what"]): PendingEntry => {
    const change = changes.get(path);
    return {
      path,
      what,
      drift: change?.drift ?? null,
      details: change?.details ?? [],
      symbols: change?.symbols?.map(({ id }) => id) ?? [],
      from: renames.get(path) ?? null,
    };
  };
  return [
    ...marker.filesToReanalyze.map((path) => toEntry(path, "analyse")),
    ...marker.deletedFiles.map((path) => toEntry(path, "deleted")),
    ...[...renames.keys()].filter((path) => !listed.has(path)).map((path) => toEntry(path, "renamed")),
    ...marker.dependents.map((path) => toEntry(path, "dependent")),
  ];
}
