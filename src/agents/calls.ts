import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";

/** One empty file per client: when it last ran our hook in this clone. */
const folderOf = (stateDir: string) => join(stateDir, "called");

/** For `status`: a client that does not trust our hooks skips them without a word. */
export function noteCall({ stateDir }: Project, client: string): void {
  const file = join(folderOf(stateDir), client);
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    try {
      makeFolder(folderOf(stateDir), stateDir);
      writeFileSync(file, "", { mode: 0o600 });
    } catch {
      // a state dir that cannot be written: only the report about calls is missing
    }
  }
}

/** By client; empty if none has ever called. */
export function lastCalls(stateDir: string): Map<string, Date> {
  const folder = folderOf(stateDir);
  try {
    return new Map(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtime]));
  } catch {
    return new Map(); // no client has called
  }
}
