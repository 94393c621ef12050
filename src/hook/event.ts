import { rawDiff } from "../git/trees.js";
import { locateProject, type Project } from "../project/locate.js";
import { isRebasing } from "../project/views.js";
import { lastProvenHead, proveView } from "./proof.js";

/** A diff that git works on while the rest of the program is loaded. */
export interface EarlyDiff {
  from: string;
  to: string;
  output: Promise<Buffer>;
}

/** Judges the view that the hook ran in, before git returns. What the proof does not need is loaded after it. */
export async function onEvent(cwd: string, event: string): Promise<void> {
  const project: Project = await locateProject({ cwd, env: process.env });
  const { head, proven } = await proveView(project);
  if (proven !== null) return;
  // At post-rewrite git's rebase folder is still there, but HEAD has arrived.
  if (isRebasing(project.view) && event !== "post-rewrite") return;
  const early = startDiff(project, head.commit);
  const { verifyNow } = await import("./work.js");
  await verifyNow(project, event, early);
}

function startDiff(project: Project, to: string | null): EarlyDiff | null {
  const from = lastProvenHead(project);
  if (from === null || to === null || from === to) return null;
  const output = rawDiff(project.view.path, from, to);
  output.catch(() => {}); // whoever asks for it hears of it
  return { from, to, output };
}
