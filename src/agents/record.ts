import { join } from "node:path";
import { UaError } from "../errors.js";
import { readJsonObject } from "../store/files.js";

/** What install wrote into one file, so that uninstall can put it back byte for byte. */
export interface Written {
  client: string;
  /** null: there was no file. */
  before: string | null;
  after: string;
  /** Folders that were not there either, outermost first. */
  folders: string[];
  /** Meant to be committed. */
  shared: boolean;
}

/** By absolute path. In the state dir: what is in people's settings is a matter of this clone. */
export type Record = Map<string, Written>;

export function recordFile(stateDir: string): string {
  return join(stateDir, "agents.json");
}

export function readRecord(stateDir: string): Record {
  const file = recordFile(stateDir);
  const { files } = readJsonObject(file) ?? { files: {} };
  if (typeof files !== "object" || files === null) {
    throw new UaError("damaged", `${file} holds no list of files`, "move it away, then install again");
  }
  return new Map(Object.entries(files as { [path: string]: Written }));
}

export function recordText(record: Record): string | null {
  if (record.size === 0) return null;
  return `${JSON.stringify({ schema: "ua-hooks.agents/1", files: Object.fromEntries(record) }, null, 2)}\n`;
}
