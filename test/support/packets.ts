import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Marker } from "../../src/marker/marker.js";
import type { Packet } from "../../src/packets/packet.js";
import type { Repo } from "./repo.js";

export type Claimed = Marker & { packets: Packet[]; page: number; pages: number };

export const claim = (repo: Repo, ...args: string[]): Claimed => repo.uaJson<Claimed>("claim", ...args);

export interface AppliedDescriptions {
  applied: string[];
  described: string[];
  unchanged: string[];
  refused: { id: string; reason: string }[];
  pending: Marker | null;
}

/** Delivers answers the way an agent does: a file, and `apply`. */
export function answer(repo: Repo, given: unknown, ...args: string[]): AppliedDescriptions {
  const file = join(repo.base, "answer.json");
  writeFileSync(file, JSON.stringify(given));
  const { code, stdout, stderr } = repo.ua("apply", file, ...args, "--json");
  if (code !== 0 && (code !== 5 || stdout === "")) throw new Error(`apply exited ${code}: ${stderr}`); // 5: nothing of it was taken
  return JSON.parse(stdout) as AppliedDescriptions;
}

/** The ids that packets ask about; what only goes along is left out. */
export function askedIn(packets: readonly Packet[]): string[] {
  return packets.flatMap(({ symbols, describeFile }) => [
    ...(describeFile === null ? [] : [describeFile.id]),
    ...symbols.flatMap(({ id, aging }) => (aging === true ? [] : [id])),
  ]);
}

/** Describes these symbols. */
export function descriptionsFor(ids: readonly string[], text: string): Record<string, { summary: string }> {
  return Object.fromEntries(ids.map((id) => [id, { summary: `${text}: ${id.slice(id.lastIndexOf(":") + 1)}` }]));
}

/** Claims what is pending and describes all of it. */
export function describeAll(repo: Repo, text: string, ...args: string[]): string[] {
  const ids = askedIn(claim(repo, ...args).packets);
  answer(repo, { descriptions: descriptionsFor(ids, text) });
  return ids;
}
