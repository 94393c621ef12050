import { join } from "node:path";
import { needsMcp, trustStep } from "../agents/client-trust.js";
import { type AgentPlan, type AgentSign, agentsInstalled, findAgents, planAgents } from "../agents/settings.js";
import { SETTINGS_FILES } from "../agents/settings-files.js";
import type { Project } from "../repository/locate.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import type { InstallOptions } from "./install.js";
import { packageFile } from "./runtime.js";

/** What to write for the agents that were named, or that an earlier install wrote for, and what their users have to do. */
export async function planWantedAgents(project: Project, options: InstallOptions): Promise<AgentPlan> {
  const before = agentsInstalled(project);
  const named = options.agents ?? null;
  const signs = named?.includes("auto") ? findAgents(project, process.env) : [];
  const clients = (named ?? before.clients).flatMap((name) => {
    return name === "auto" ? signs.flatMap(({ client, found }) => (found === null ? [] : [client])) : [name];
  });
  const plan = await planAgents(project, {
    ...{ clients, shared: options.shared === true || (named === null && before.shared) },
    template: (name) => packageFile("templates", name),
    mayWriteTracked: options.mayWriteSettings ?? (async () => false),
  });
  const steps = clients.flatMap((client) => {
    const next = trustStep(client, {
      ...{ folder: project.worktree.path, env: process.env },
      settings: settingsAfter(client, project, plan),
    });
    return next === null ? [] : [`${client} skips hooks that it does not trust: ${next}`];
  });
  const sandboxed = clients.filter((client) => needsMcp(client, process.env)).map(sandboxText);
  const none = signs.length > 0 && signs.every(({ found }) => found === null) ? [NONE_FOUND] : [];
  return { ...plan, notes: [...signs.map(signText), ...none, ...plan.notes, ...steps, ...sandboxed] };
}

const NONE_FOUND = "to name one that is not found: `ua-hooks install --agent claude`";

/** What the client's settings file holds after this install. */
function settingsAfter(client: string, project: Project, { edits }: AgentPlan): string | null {
  const place = SETTINGS_FILES.get(client);
  if (place === undefined) return null;
  const file = join(project.worktree.path, place.file);
  return edits.find((edit) => edit.file === file)?.text ?? readTextIfThere(file, MOST_TEXT_BYTES);
}

const sandboxText = (client: string) =>
  `${client}'s sandbox cannot write .git, where a claim is stored: add \`ua-hooks mcp\` as an MCP server (docs/agents.md)`;

function signText({ client, places, found }: AgentSign): string {
  return found === null ? `${client}: not found (looked for ${places.join(", ")})` : `${client}: found ${found}`;
}
