import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomic } from "../store/files.js";

/** One change to a file that install or uninstall makes. `text: null` removes it; `moveTo` renames it aside. */
export interface Step {
  file: string;
  what: string;
  text?: string | Buffer | null;
  mode?: number;
  moveTo?: string;
}

/** Leaves out what is there already, byte for byte. */
export function stillNeeded(steps: readonly Step[]): Step[] {
  return steps.filter(({ file, text, mode, moveTo }) => {
    if (moveTo !== undefined || text === null || text === undefined) return true;
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || (mode !== undefined && (stat.mode & 0o777) !== mode)) return true;
    return !readFileSync(file).equals(Buffer.from(text));
  });
}

/**
 * Carries all steps out, or none: when one fails, those before it are taken back and the error goes on. The answer
 * takes all of them back, for a caller whose own work fails later.
 */
export function carryOut(steps: readonly Step[]): () => void {
  const done: (() => void)[] = [];
  const undo = () => {
    for (const back of done.reverse()) back();
  };
  try {
    for (const step of steps) done.push(carryOutOne(step));
  } catch (error) {
    undo();
    throw error;
  }
  return undo;
}

function carryOutOne({ file, text, mode, moveTo }: Step): () => void {
  if (moveTo !== undefined) {
    renameSync(file, moveTo);
    return () => renameSync(moveTo, file);
  }
  const back = restorer(file);
  if (text === null || text === undefined) {
    rmSync(file, { force: true });
    return back;
  }
  const folder = mkdirSync(dirname(file), { recursive: true }); // the first one that was missing
  const takeBack = () => {
    back();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFileAtomic(file, text, mode ?? 0o644);
    if (mode !== undefined) chmodSync(file, mode);
  } catch (error) {
    takeBack();
    throw error;
  }
  return takeBack;
}

function restorer(file: string): () => void {
  if (!existsSync(file)) return () => rmSync(file, { force: true });
  const before = readFileSync(file);
  const mode = statSync(file).mode & 0o777;
  return () => {
    writeFileAtomic(file, before, mode);
    chmodSync(file, mode);
  };
}
