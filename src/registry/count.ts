/** Once per process, like the parser's counter (fingerprint/count.ts). */
const counter = globalThis as { uaHooksScans?: number };

/** How many times this process compared a worktree's rows with git. A trusted worktree must not raise it. */
export const scanCount = (): number => counter.uaHooksScans ?? 0;

export function countScan(): void {
  counter.uaHooksScans = scanCount() + 1;
}
