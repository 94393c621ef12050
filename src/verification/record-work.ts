/** Records, for a verification in a clone that has some: most have none. */
export { recordChanges, watchRecords } from "../records/watch.js";
