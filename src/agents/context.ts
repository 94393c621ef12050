import { updateQuietly } from "../context/update.js";
import { locateProject } from "../repository/locate.js";

/** Updates the living context, in a process of its own (started by prompt.ts). */
export async function updateNow([cwd = "", transcript = ""]: readonly string[]): Promise<void> {
  updateQuietly(await locateProject({ cwd, env: {} }), transcript);
}
