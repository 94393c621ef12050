import type { Project } from "../project/locate.js";
import type { Occasion } from "./clients.js";

/**
 * What a person's prompt sets off beside an answer. The living context's counter goes in here, loaded with import():
 * called once per prompt event of a client that has one, after the answer is out, in a repository that is set up. It must
 * print nothing, throw nothing that matters, and start what takes long detached: the agent waits for our end.
 */
export async function onPrompt(_occasion: Occasion, _project: Project): Promise<void> {}
