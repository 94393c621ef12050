/**
 * Not in the parser's module, so that reading the number does not load it; and once per process,
 * because each file that the build splits off has its own copy of a module.
 */
const counter = globalThis as { uaHooksParses?: number };

/** How many texts were really parsed by this process. Known content must not raise it. */
export const parseCount = (): number => counter.uaHooksParses ?? 0;

/** Of this thread, or that other threads made for this process. */
export function countParses(count: number): void {
  counter.uaHooksParses = parseCount() + count;
}
