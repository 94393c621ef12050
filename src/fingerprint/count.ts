// Apart from the parser, so that whoever only wants to know the number does not load it.
let parses = 0;

/** How many texts were really parsed by this process. Known content must not raise it. */
export const parseCount = (): number => parses;

/** Of this thread, or that other threads made for this process. */
export function countParses(count: number): void {
  parses += count;
}
