import { UaError } from "../errors.js";
import type { Marker } from "../marker/marker.js";
import { launcherCommand } from "../repository/launcher.js";
import { CLIENTS } from "./clients.js";
import { formatNotification } from "./notification.js";

/** The message that an agent gets about a marker when a session starts, for `pending --for`. null if there is none. */
export function previewFor(name: string, marker: Marker | null, stateDir: string): Record<string, unknown> | null {
  const client = CLIENTS.get(name);
  if (client === undefined) {
    throw new UaError("usage", `unknown agent "${name}"`, `known agents: ${[...CLIENTS.keys()].join(", ")}`);
  }
  if (marker === null || marker.state === "failed") return null; // a failed update is not reported to agents
  return client.answer(
    formatNotification(marker, launcherCommand(stateDir) ?? "ua-hooks", { client: name }),
    client.events[0] ?? "",
  ) as Record<string, unknown>;
}
