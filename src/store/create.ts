import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "../errors.js";
import { processNumber } from "../platform/process.js";
import { faultPoint } from "./fault.js";
import type { Db } from "./sqlite.js";

/**
 * Writes the content of `source`, a database in memory, to `file`: whole and synced under another name, and only then under its own. So a
 * `file` that is empty or torn was damaged later, and is never one that is still being made. One that another process made meanwhile stays.
 */
export function createDatabase(file: string, source: Db): void {
  const temp = join(dirname(file), `.${basename(file)}.${processNumber()}.tmp`);
  try {
    rmSync(temp, { force: true });
    // SQLite would create it with the umask's mode; its content is private.
    writeFileSync(temp, "", { mode: 0o600, flag: "wx" });
    source.run("VACUUM INTO ?", temp);
    syncFile(temp);
    faultPoint("file.rename");
    publish(temp, file);
    faultPoint("file.renamed");
  } finally {
    rmSync(temp, { force: true });
  }
}

function syncFile(path: string): void {
  const fd = openSync(path, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A link, because a rename would replace what another process made and has written to. */
function publish(temp: string, file: string): void {
  try {
    linkSync(temp, file);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return;
    if (!NO_LINKS.has(errnoOf(error) ?? "")) throw error;
    if (!existsSync(file)) renameSync(temp, file);
  }
}

/** File systems without hard links: FAT, some network shares. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EACCES"]);
