import { onInterrupt } from "../platform/interrupt.js";

const QUIET_MS = 500;
const EVERY_MS = 80;
/** From here on the time left is estimated: the first items, with the parsers still to be loaded, are much slower. */
const LEAST_SHARE = 0.1;

interface ProgressOptions {
  /** Shows the label until it is known how much there is. Not where a question may be asked meanwhile. */
  fromStart?: boolean;
  /** What is left to do when all is counted. */
  after?: string;
}

/** A bar on stderr for work that takes longer than half a second; only on a terminal. */
export function createProgress(
  label: string,
  { fromStart = false, after }: ProgressOptions = {},
): { update(done: number, total: number): void; end(): void } {
  const { stderr } = process;
  const started = Date.now();
  let drawn = 0;
  const wipe = () => {
    if (drawn > 0) stderr.write("\r\x1b[2K");
  };
  const forget = stderr.isTTY ? onInterrupt(wipe) : () => {};
  const draw = (text: string) => {
    wipe();
    drawn = Date.now();
    stderr.write(text);
  };
  const beginning = stderr.isTTY && fromStart ? setTimeout(() => draw(`${label} …`), QUIET_MS).unref() : undefined;
  return {
    update: (done, total) => {
      const now = Date.now();
      if (!stderr.isTTY || now - started < QUIET_MS) return;
      clearTimeout(beginning);
      if (done >= total && after !== undefined) return draw(`${after} …`);
      if (now - drawn < EVERY_MS) return;
      const rate = (done / (now - started)) * 1000;
      const left = done >= total * LEAST_SHARE ? `  ${duration(Math.ceil((total - done) / rate))} left` : "";
      const width = Math.max(8, Math.min(30, (stderr.columns || 80) - label.length - 34));
      const full = Math.round((done / Math.max(total, 1)) * width);
      const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`;
      draw(`${label} ${bar} ${done}/${total}  ${Math.round(rate)}/s${left}`);
    },
    end: () => {
      clearTimeout(beginning);
      forget();
      wipe();
      drawn = 0;
    },
  };
}

function duration(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
