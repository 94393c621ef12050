/** What has to be undone before Ctrl-C ends the process, newest first. */
const tidying = new Set<() => void>();
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Handles Ctrl-C. Files are written atomically, so between two steps nothing is half-written; operations of several
 * steps are undone here. The exit status is the one that shells use.
 */
export function interrupt(signal: keyof typeof SIGNALS = "SIGINT"): never {
  for (const tidy of [...tidying].reverse()) {
    try {
      tidy();
    } catch {
      // the others still have to run, and the process ends anyway
    }
  }
  process.exit(SIGNALS[signal]);
}

/** Returns a function that removes it. A listener costs some milliseconds, so it is only installed if needed. */
export function onInterrupt(tidy: () => void): () => void {
  if (tidying.size === 0) process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  tidying.add(tidy);
  return () => {
    tidying.delete(tidy);
    if (tidying.size === 0) process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  };
}
