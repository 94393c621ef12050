/** Milliseconds that only ever rise. Not `performance.now()`: the first touch of it loads a module, 2 ms in a hook. */
export function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
