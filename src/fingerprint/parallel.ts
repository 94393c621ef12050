/** Everything that turns text into fingerprints, for a caller that loads it late. */
export { fingerprintText, prepareParser, warmUp } from "./extract.js";
export { Pool, WORTH_THREADS } from "./pool.js";
