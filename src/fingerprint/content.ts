/**
 * sha256 of a file's content, as Understand-Anything has it in fingerprints.json.
 *
 * @example contentHash(readFileSync("src/a.ts", "utf8"))
 */
export function contentHash(content: string | Buffer): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", content, "hex");
}

export const GAVE_UP = "the parser gave up within its time budget";
export const NO_GRAMMAR_HERE = "its grammar is not in this clone's copy of the program: `ua-hooks install` adds it";
export const ENDED_PROCESS = "a process ended while it parsed this: `ua-hooks doctor --fix` tries again";

/** Reasons for a content-only fingerprint that are of the day, not of the content: such a fact is not kept. */
export function isPassing(reason: string | undefined): boolean {
  return reason === GAVE_UP || reason === NO_GRAMMAR_HERE || reason === ENDED_PROCESS;
}

/** All that can be said without a parser: any change of such a file is structural. */
export function withoutStructure(filePath: string, content: string | Buffer, totalLines: number) {
  return {
    ...{ filePath, contentHash: contentHash(content), totalLines, hasStructuralAnalysis: false },
    ...{ functions: [], classes: [], imports: [], exports: [] },
  };
}
