/** Everything beyond the cheap proof. A file of its own in dist/ (scripts/build.mjs), loaded when the proof failed. */
export { readView, verifyNow } from "./read.js";
export { runAll } from "./runner.js";
