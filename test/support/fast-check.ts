import fc from "fast-check";

/**
 * `UA_HOOKS_SEED=n` as everywhere: scripts/test.mjs gives the suite a fixed one. Without it, as in the long forms, fast-check takes
 * another one each time and prints it; `{ seed, path }` repeats a failure.
 */
const { UA_HOOKS_SEED: seed } = process.env;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export default fc;
