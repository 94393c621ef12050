/** mulberry32: a small random number generator with a seed, the same everywhere. From 0 up to 1. */
export function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number below a bound. */
export function dice(seed: number): (below: number) => number {
  const random = mulberry(seed);
  return (below) => Math.floor(random() * below);
}

/** So many of a list, chosen and ordered by the dice. */
export function sample<T>(all: readonly T[], most: number, seed: number): T[] {
  const random = mulberry(seed);
  const shuffled = all.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at);
  return shuffled.slice(0, most).map(({ one }) => one);
}

/** `UA_HOOKS_SEED=n` to see one again. */
export function givenSeed(): number {
  return Number(process.env.UA_HOOKS_SEED ?? Date.now() % 1_000_000);
}
