import fc from "fast-check";

/** One seed for the suite, another one each time in the long forms: fast-check prints it, and `{ seed, path }` repeats a failure. */
if (process.env.UA_HOOKS_LONG === undefined && process.env.UA_HOOKS_FUZZ === undefined) fc.configureGlobal({ seed: 7 });

export default fc;
