import type { Project } from "../../repository/locate.js";
import { holderFromEnv, MCP_HOLDER, returnLease } from "../conversation.js";

/**
 * The name under which this process takes leases: the conversation's, where the client's variables name it; else a name of its own, so
 * that it may claim again, and another server may not. Such a lease is given back when the process ends.
 */
export class McpHolder {
  private readonly conversation = holderFromEnv(process.env);
  private readonly id = process.getBuiltinModule("node:crypto").randomBytes(3).toString("hex");
  private readonly projects = new Map<string, { name: string; project: Project }>();

  nameFor(client: string, project: Project): string {
    if (this.conversation !== null) return this.conversation;
    const short = client.replace(/[^\w-]+/g, "-").slice(0, 40);
    const name = `${MCP_HOLDER}${short}-${this.id}`;
    this.projects.set(project.worktree.gitDir, { name, project });
    return name;
  }

  async returnLeases(): Promise<void> {
    for (const { name, project } of this.projects.values()) {
      await returnLease(project, name).catch(() => {}); // busy, or the repository is gone: the lease expires
    }
  }
}
