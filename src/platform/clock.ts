/** Monotonic milliseconds. Not `performance.now()`: its first use loads a module, 2 ms in a hook. */
export function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
