/**
 * How many times the CPU time grows from a small input to one four times as large: some 4 if it grows with the input, 16 if with its square.
 * Time of the CPU and the best of three, since a test also runs on a busy machine.
 */
export function growth(action: (times: number) => void): number {
  action(1); // compiled by then
  return best(() => action(4)) / best(() => action(1));
}

function best(action: () => void): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(Math.min(...runs), 1000);
}

/** Between linear and quadratic. */
export const NOT_QUADRATIC = 10;
