import type { Row, Spread } from "./measure.js";

/** What a part of the benchmark is given. */
export interface Bench {
  /** A folder of its own that goes at the end. */
  base: string;
  quick: boolean;
  /** How often to measure, of so many rounds in a full run. */
  rounds(full: number): number;
  /** For what is more than a row. */
  curves: Curve[];
  large: LargeRepository[];
}

/** A part of the benchmark: `npm run bench -- --only=<its name>` runs it alone. */
export type Part = (bench: Bench) => Promise<Row[]>;

/** What the same thing costs over the size of something. */
export interface Curve {
  /** What grows: `files in the repository`. */
  over: string;
  /** In milliseconds. */
  points: ({ at: number } & Spread)[];
  /** What an empty Node took in the same rounds: nothing can be below. */
  floor: number;
}

/** Every operation, once, in one large repository: what the page shows of it. */
export interface LargeRepository {
  /** `70,000 files`, or `core at 702a9cb728, 18,025 Python files`. */
  name: string;
  operations: { what: string; seconds: number; mb: number }[];
  /** In MB, after install. */
  sizes: Record<string, number>;
}
