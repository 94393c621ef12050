import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, dirname, parse } from "node:path";
import {
  makeFolder,
  moveFile,
  refuseLinks,
  removeAll,
  removeEmptyFolder,
  removeFile,
  setMode,
} from "../platform/change-files.js";
import { hasMode } from "../platform/windows.js";
import { faultPoint } from "../store/fault.js";
import { readOwnBytes, removeTemporaries, writeFileAtomic } from "../store/files.js";
import { toUserError } from "../store/user-error.js";

/**
 * One change that install or uninstall makes. `text: null` removes the file; `moveTo` renames it; `run` is anything
 * else, and returns how to undo it. A step can be shown, applied and undone.
 */
export interface FileStep {
  file: string;
  what: string;
  text?: string | Buffer | null;
  mode?: number;
  moveTo?: string;
  run?: () => () => void;
}

/** Without the steps whose result is already there, byte for byte. */
export function stillNeeded(steps: readonly FileStep[]): FileStep[] {
  return steps.filter(({ file, text, mode, moveTo, run }) => {
    if (run !== undefined || moveTo !== undefined || text === undefined) return true;
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (text === null) return stat !== undefined;
    if (stat?.isFile() !== true || (mode !== undefined && !hasMode(stat, mode))) return true;
    return readOwnBytes(file)?.equals(Buffer.from(text)) !== true;
  });
}

/**
 * All steps, or none: if one fails, the previous ones are undone and the error is thrown again. `made` are the folders
 * that were created.
 */
export class Transaction {
  readonly steps: FileStep[] = [];
  readonly made: string[] = [];
  private readonly done: (() => void)[] = [];

  /** `dry`: steps are only collected. */
  constructor(readonly dry = false) {}

  carryOut(steps: readonly FileStep[]): void {
    for (const step of stillNeeded(steps)) {
      this.steps.push(step);
      try {
        refuseLinks(step.file); // in a dry run, too: what stands behind the link would be shown
        if (this.dry) continue;
        faultPoint(`install.step${this.steps.length}`);
        this.done.push(this.carryOutOne(step));
      } catch (error) {
        this.undo();
        throw toUserError(error, step.file) ?? error;
      }
    }
  }

  /** Also for a caller that fails later. */
  undo(): void {
    for (const back of this.done.splice(0).reverse()) back();
  }

  private carryOutOne({ file, text, mode, moveTo, run }: FileStep): () => void {
    if (run !== undefined) return run();
    if (moveTo !== undefined) {
      moveFile(file, moveTo);
      return () => moveFile(moveTo, file);
    }
    removeTemporaries(dirname(file), (name) => isTemporaryOf(file, name));
    const back = restorer(file);
    if (text === null || text === undefined) {
      removeFile(file);
      return back;
    }
    const folder = makeFolderOf(file);
    if (folder !== null) this.made.push(folder);
    const takeBack = () => {
      back();
      if (folder !== null) removeAll(folder);
    };
    try {
      writeFileAtomic(file, text, mode ?? 0o644);
      if (mode !== undefined) setMode(file, mode);
    } catch (error) {
      takeBack();
      throw error;
    }
    return takeBack;
  }
}

/** A temporary file of a killed install or uninstall. */
export function isTemporaryOf(file: string, name: string): boolean {
  return name.startsWith(`.${basename(file)}.`) && /^\d+\.tmp$/.test(name.slice(basename(file).length + 2));
}

const makeFolderOf = (file: string) => makeFolder(dirname(file), parse(file).root, 0o777);

function restorer(file: string): () => void {
  if (!existsSync(file)) return () => removeFile(file);
  const before = readOwnBytes(file) ?? Buffer.alloc(0);
  const mode = statSync(file).mode & 0o777;
  return () => {
    makeFolderOf(file); // it may have been removed with its last file
    writeFileAtomic(file, before, mode);
    setMode(file, mode);
  };
}

/** Removes folders that install created and that are empty. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      removeEmptyFolder(folder);
    } catch {
      // not empty, already gone, or not ours: behind a link of a checkout
    }
  }
}
