import { onInterrupt } from "../platform/interrupt.js";

const QUIET_MS = 500;
const EVERY_MS = 80;

/** For work of an unknown size. */
export async function whileBusy<T>(label: string, work: Promise<T>): Promise<T> {
  const progress = createProgress(label);
  return work.finally(progress.end);
}

/** A bar on stderr for work that takes longer than half a second, and the label alone until it is known how much there is; only on a terminal. */
export function createProgress(label: string): { update(done: number, total: number): void; end(): void } {
  const { stderr } = process;
  const started = Date.now();
  let drawn = 0;
  const wipe = () => {
    if (drawn > 0) stderr.write("\r\x1b[2K");
  };
  const forget = stderr.isTTY ? onInterrupt(wipe) : () => {};
  const begin = () => {
    drawn = Date.now();
    stderr.write(`${label} …`);
  };
  const beginning = stderr.isTTY ? setTimeout(begin, QUIET_MS).unref() : undefined;
  return {
    update: (done, total) => {
      const now = Date.now();
      if (!stderr.isTTY || now - started < QUIET_MS || now - drawn < EVERY_MS) return;
      clearTimeout(beginning);
      drawn = now;
      const rate = (done / (now - started)) * 1000;
      const left = rate > 0 ? Math.ceil((total - done) / rate) : 0;
      const width = Math.max(8, Math.min(30, (stderr.columns || 80) - label.length - 34));
      const full = Math.round((done / Math.max(total, 1)) * width);
      const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`;
      stderr.write(`\r\x1b[2K${label} ${bar} ${done}/${total}  ${Math.round(rate)}/s  ${duration(left)} left`);
    },
    end: () => {
      clearTimeout(beginning);
      forget();
      wipe();
    },
  };
}

function duration(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
