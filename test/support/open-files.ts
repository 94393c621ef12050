import { readdirSync, readlinkSync } from "node:fs";
import { errnoOf } from "../../src/errors.js";

/** What a process has open, where there is a /proc. A descriptor may be closed while it is looked at. */
export function openFiles(pid: number | "self"): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  });
}
