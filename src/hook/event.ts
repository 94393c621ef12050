import { locateProject, type Project } from "../project/locate.js";
import { isRebasing } from "../project/views.js";
import { proveView } from "./proof.js";

/** Judges the view that the hook ran in, before git returns. What the proof does not need is loaded after it. */
export async function onEvent(cwd: string, event: string): Promise<void> {
  const project: Project = await locateProject({ cwd, env: process.env });
  const { head, proven } = await proveView(project);
  if (proven !== null) return;
  // At post-rewrite git's rebase folder is still there, but HEAD has arrived.
  if (isRebasing(project.view) && event !== "post-rewrite") return;
  const { verifyNow } = await import("./work.js");
  await verifyNow(project, head, event);
}
