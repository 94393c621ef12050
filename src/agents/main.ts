import { writeSync } from "node:fs";
import { keepOwnRights } from "../store/files.js";
import { leave } from "./input.js";
import { runAgent } from "./run.js";

/** Started by hooks/agent.sh. In every case the agent gets an answer or nothing, and exit status 0. */
keepOwnRights();
const [first, ...rest] = process.argv.slice(2);
const work =
  first === "--update-context"
    ? import("./context.js").then(({ updateNow }) => updateNow(rest))
    : runAgent(process.argv.slice(2), (text) => writeSync(1, text));
work.then(leave, leave);
