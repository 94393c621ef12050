import { join } from "node:path";
import { onPrompt as countPrompt } from "../context/prompt.js";
import type { Project } from "../repository/locate.js";
import type { HookInput } from "./clients.js";

/**
 * What a person's prompt sets off beside an answer: the living context. Called once per prompt event of a client that has
 * one, after the answer is out, in a repository that is set up. Prints nothing, throws nothing that matters, and starts
 * what takes long detached: the agent waits for our end.
 */
export async function onPrompt({ transcript }: HookInput, project: Project): Promise<void> {
  await countPrompt(project, transcript, (path) => {
    const args = [join(import.meta.dirname, "agent.cjs"), "--update-context", project.worktree.path, path];
    const { spawn } = process.getBuiltinModule("node:child_process"); // most prompts start nothing
    spawn(process.execPath, args, { cwd: project.worktree.path, detached: true, stdio: "ignore" }).unref();
  });
}
