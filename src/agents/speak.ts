/** What only a hook with something to say needs: a file of its own in dist/ (scripts/build.mjs). */

export { wordsForHooks, wordsForMarker, wordsForUnknown } from "./notification.js";
export { isFirstTime } from "./notified.js";
export { speaksForItself } from "./understand-anything.js";
