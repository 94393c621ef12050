/** From here on what is kept of all files is more than what the work on one of them needs. */
const MANY_FILES = 20_000;

/**
 * Keeps memory near to what is in use where a repository is large: V8 lets the heap grow to four times of that before it looks for
 * garbage, and to one and a half with this.
 */
export function limitHeapGrowth(files: number): void {
  if (files >= MANY_FILES) process.getBuiltinModule("node:v8").setFlagsFromString("--heap-growing-percent=50");
}
