/** What only a hook with something to say needs: a file of its own in dist/ (scripts/build.mjs). */

export { formatHooksWarning, formatNotification, formatUnknown } from "./notification.js";
export { isFirstTime } from "./notified.js";
export { notifiesItself } from "./understand-anything.js";
