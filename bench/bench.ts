import type { Row } from "./measure.js";

/** What a part of the benchmark is given. */
export interface Bench {
  /** A folder of its own that goes at the end. */
  base: string;
  quick: boolean;
  /** How often to measure, of so many rounds in a full run. */
  rounds(full: number): number;
}

/** A part of the benchmark: `npm run bench -- --only=<its name>` runs it alone. */
export type Part = (bench: Bench) => Promise<Row[]>;
