import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import type { Project } from "../project/locate.js";
import { EVENTS, nativeDir } from "./native.js";
import { hasBlock } from "./text.js";

export interface HooksState {
  place: "native" | null;
  installed: string[];
  missing: string[];
  /** Why hooks that are in do not fire, as far as a look at the files tells. */
  warning: string | null;
}

export async function hooksState(project: Project): Promise<HooksState> {
  const dir = await nativeDir(project).catch((error: unknown) => {
    if (error instanceof UaError) return error;
    throw error;
  });
  if (dir instanceof UaError) return { place: null, installed: [], missing: [...EVENTS], warning: dir.message };
  const installed = EVENTS.filter((event) => {
    const file = join(dir, event);
    return existsSync(file) && hasBlock(readFileSync(file, "latin1"));
  });
  const missing = EVENTS.filter((event) => !installed.includes(event));
  return {
    place: installed.length === 0 ? null : "native",
    installed,
    missing,
    warning: warningFor(project, installed.length),
  };
}

function warningFor({ stateDir, commonDir }: Project, installed: number): string | null {
  if (installed === 0) return null;
  if (installed < EVENTS.length) return "some hooks are missing: run `ua-hooks install` again";
  const env = join(stateDir, "env");
  if (!existsSync(env) || !existsSync(join(stateDir, "shim.sh")))
    return "the state dir is gone: run `ua-hooks install` again";
  const [, entry = ""] = readFileSync(env, "utf8").split("\n");
  const program = entry.startsWith("/") ? entry : join(commonDir, entry);
  return existsSync(program) ? null : "the program that the hooks start is gone: run `ua-hooks install` again";
}
