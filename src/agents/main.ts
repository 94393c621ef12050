import { writeSync } from "node:fs";
import { keepOwnRights } from "../store/files.js";
import { runAgent } from "./run.js";

/** What hooks/agent.sh starts. Whatever happens, the agent sees an answer or nothing, and status 0. */
keepOwnRights();
runAgent(process.argv.slice(2), (text) => writeSync(1, text)).then(
  () => process.exit(0),
  () => process.exit(0),
);
