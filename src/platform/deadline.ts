import { clock } from "./clock.js";

/** A process that must answer by a certain time has none left for this text. It is left to another process: nothing is known of it. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

export function isOutOfTime(error: unknown): boolean {
  return error instanceof Error && error.name === "OutOfTime";
}

/** What is read after the parse cannot be stopped: of so many bytes it takes some 50 ms. */
const MOST_BYTES = 128 * 1024;

let end = Number.POSITIVE_INFINITY;

/**
 * For a process with a deadline, an agent's hook: no timer runs while a text is parsed, and one text may take as long as its budget
 * (`parseBudgetMs`), which is longer.
 */
export function parseUntilOnly(at: number): void {
  end = at;
}

export const isOver = (): boolean => clock() > end;

/** Throws where a text of this size cannot be done in time. */
export function requireTime(bytes: number): void {
  if (isOver() || (end !== Number.POSITIVE_INFINITY && bytes > MOST_BYTES)) throw new OutOfTime();
}
