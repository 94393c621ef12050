import { updateQuietly } from "../context/update.js";
import { locateProject } from "../repository/locate.js";

/** The living context's update, in a process of its own (prompt.ts starts it). */
export async function updateNow([cwd = "", transcript = ""]: readonly string[]): Promise<void> {
  updateQuietly(await locateProject({ cwd, env: {} }), transcript);
}
