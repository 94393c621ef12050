/**
 * The shortest part of a failing list that still fails, as far as leaving things out can tell (delta debugging): halves
 * first, then smaller pieces, then one at a time. `fails` is asked at most `tries` times.
 */
export async function shrink<T>(
  list: readonly T[],
  fails: (part: readonly T[]) => Promise<boolean>,
  tries = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  let known = [...list];
  let left = tries;
  for (let size = Math.ceil(known.length / 2); size >= 1 && left > 0; ) {
    let shorter = false;
    // From the end: what comes late rarely matters, and the shorter the game, the quicker the next try.
    for (let at = Math.max(0, known.length - size); left > 0; at = Math.max(0, at - size)) {
      const without = [...known.slice(0, at), ...known.slice(at + size)];
      left--;
      if (without.length < known.length && (await fails(without))) {
        known = without;
        shorter = true;
      }
      if (at === 0) break;
    }
    if (size === 1 && !shorter) break;
    if (!shorter || size > known.length) size = Math.max(1, Math.floor(Math.min(size, known.length) / 2));
  }
  return known;
}
