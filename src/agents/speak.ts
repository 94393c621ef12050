/** What only a hook with something to say needs: a file of its own in dist/ (scripts/build.mjs). */
export { speaksForItself } from "./foreign.js";
export { isFirstTime } from "./told.js";
export { wordsForHooks, wordsForMarker, wordsForUnknown } from "./words.js";
