import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { codeFolder, useCodeCache } from "./code-cache.js";

/**
 * hook.cjs and agent.cjs: load `<name>-main.cjs` beside them, in the form that V8 compiled before. Compiling it takes an agent's hook
 * a tenth of its time. Only in a clone's own copy of the program: its folder for compiled code is known before anything is read.
 */
const home = import.meta.dirname;
const main = join(home, `${basename(process.argv[1] ?? "", ".cjs")}-main.cjs`);
if (basename(home) === "runtime") {
  const save = useCodeCache(codeFolder(dirname(home)), "start");
  process.on("exit", () => {
    try {
      save();
    } catch {
      // a full disk: the next start is slower
    }
  });
}
createRequire(main)(main);
