/** What has to be tidied up before a Ctrl-C may end the process, newest first. */
const tidying = new Set<() => void>();
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Somebody pressed Ctrl-C. Files are written whole in one go, so between two steps of ours nothing is half-written; what
 * several steps make together is taken back here. The status is the one that shells give.
 */
export function interrupt(signal: keyof typeof SIGNALS = "SIGINT"): never {
  for (const tidy of [...tidying].reverse()) {
    try {
      tidy();
    } catch {
      // the next one has its own things to put in order, and we are leaving anyway
    }
  }
  process.exit(SIGNALS[signal]);
}

/** Returns how to forget it again. A listener costs a start some milliseconds: only who needs one has one. */
export function onInterrupt(tidy: () => void): () => void {
  if (tidying.size === 0) process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  tidying.add(tidy);
  return () => {
    tidying.delete(tidy);
    if (tidying.size === 0) process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  };
}
