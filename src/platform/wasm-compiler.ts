/** The first unsets the others. */
const BASELINE = "--liftoff-only";
const DEFAULT = "--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering";

/** In one place of the process: each file of the program has a copy of this module. */
const state = globalThis as { uaHooksBaselineCompiler?: boolean };

const setFlags = (flags: string) => process.getBuiltinModule("node:v8").setFlagsFromString(flags); // 1 ms to load

/** From now on V8 compiles WASM with its baseline compiler only. */
export function useBaselineCompiler(): void {
  process.getBuiltinModule("node:crypto"); // each text is hashed; Node's own kept code, too, is refused under these flags
  setFlags(BASELINE);
  state.uaHooksBaselineCompiler = true;
}

/** V8 takes kept code of JavaScript, ours and Node's, only under the flags under which it was kept. */
export function withDefaultFlags<T>(work: () => T): T {
  if (state.uaHooksBaselineCompiler !== true) return work();
  setFlags(DEFAULT);
  try {
    return work();
  } finally {
    setFlags(BASELINE);
  }
}
