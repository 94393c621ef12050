/** In one place of the process, as the parser's counter is (fingerprint/count.ts), and for the same reason. */
const counter = globalThis as { uaHooksScans?: number };

/** How many times this process compared a view's rows with git. A view that is trusted must not raise it. */
export const scanCount = (): number => counter.uaHooksScans ?? 0;

export function countScan(): void {
  counter.uaHooksScans = scanCount() + 1;
}
