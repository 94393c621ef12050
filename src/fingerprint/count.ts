/**
 * Apart from the parser, so that a caller that needs only the number does not load it; and in one place of the process,
 * because the files that the build splits off have their own copies of a module.
 */
const counter = globalThis as { uaHooksParses?: number };

/** How many texts were really parsed by this process. Known content must not raise it. */
export const parseCount = (): number => counter.uaHooksParses ?? 0;

/** Of this thread, or that other threads made for this process. */
export function countParses(count: number): void {
  counter.uaHooksParses = parseCount() + count;
}
