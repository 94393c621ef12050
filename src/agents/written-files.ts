import { join, relative, resolve } from "node:path";
import { UaError } from "../errors.js";
import { readJsonObject, toJson } from "../store/files.js";

/** What install wrote into one file, so that uninstall can restore it byte for byte. */
export interface WrittenFile {
  client: string;
  /** null: there was no file. */
  before: string | null;
  after: string;
  /** Folders that did not exist either, outermost first. */
  folders: string[];
  /** The file is meant to be committed. */
  shared: boolean;
}

/** By absolute path; on disk relative to the state dir, because repositories move. Local to this clone. */
export type WrittenFiles = Map<string, WrittenFile>;

export function writtenFilesPath(stateDir: string): string {
  return join(stateDir, "agents.json");
}

export function readWrittenFiles(stateDir: string): WrittenFiles {
  const file = writtenFilesPath(stateDir);
  const { files } = readJsonObject(file, stateDir) ?? { files: {} };
  if (typeof files !== "object" || files === null) {
    throw new UaError(
      "damaged",
      `${file} is damaged: it has no list of files`,
      "move it away, then run `ua-hooks install` again",
    );
  }
  const there = (path: string) => resolve(stateDir, path);
  return new Map(
    Object.entries(files as { [path: string]: WrittenFile }).map(([path, written]) => {
      return [there(path), { ...written, folders: written.folders.map(there) }];
    }),
  );
}

export function writtenFilesText(record: WrittenFiles, stateDir: string): string | null {
  if (record.size === 0) return null;
  const from = (path: string) => relative(stateDir, path);
  const files = [...record].map(([path, written]) => {
    return [from(path), { ...written, folders: written.folders.map(from) }] as const;
  });
  return toJson({ schema: "ua-hooks.agents/1", files: Object.fromEntries(files) });
}
