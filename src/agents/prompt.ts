import { join } from "node:path";
import { onPrompt as countPrompt } from "../context/prompt.js";
import type { Project } from "../repository/locate.js";
import type { HookInput } from "./clients.js";

/**
 * Updates the living context after a prompt. Called once per prompt event of a client that has one, after the answer
 * was written. Prints nothing, and starts long work detached: the agent waits until we exit.
 */
export async function onPrompt({ transcript }: HookInput, project: Project): Promise<void> {
  await countPrompt(project, transcript, (path) => {
    const args = [join(import.meta.dirname, "agent.cjs"), "--update-context", project.worktree.path, path];
    const { spawn } = process.getBuiltinModule("node:child_process"); // most prompts start nothing
    const options = { cwd: project.worktree.path, detached: true, stdio: "ignore", windowsHide: true } as const;
    spawn(process.execPath, args, options).unref();
  });
}
