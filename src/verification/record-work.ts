/** Records, for a verification in a clone that has some: most have none. */
export { recordNews, watchRecords } from "../records/watch.js";
