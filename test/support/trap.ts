import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repo } from "./repo.js";

/** Programs that must not run: each leaves its name where the test looks. */
export interface Traps {
  /** A shell script outside of the repository. `passes`: it passes its stdin on, as a filter has to. */
  program(name: string, passes?: boolean): string;
  /** The text of a JavaScript file that does the same when it is loaded. */
  javascript(name: string): string;
  /** Which ones ran since the last question. */
  sprung(): string[];
}

export function setTraps({ base }: Pick<Repo, "base">): Traps {
  const file = join(base, "sprung");
  return {
    program: (name, passes = false) => {
      const path = join(base, `trap-${name}.sh`);
      writeFileSync(path, `#!/bin/sh\necho ${name} >>'${file}'\n${passes ? "cat" : "exit 1"}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    javascript: (name) =>
      `process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(file)}, "${name}\\n");\n`,
    sprung: () => {
      const names = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
      rmSync(file, { force: true });
      return [...new Set(names)].sort();
    },
  };
}
