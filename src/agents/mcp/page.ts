import { z } from "zod";
import { UaError } from "../../errors.js";

/** What a tool with a list takes and gives. */
export const pageInput = {
  cursor: z.string().max(200).optional().describe("nextCursor of the page before"),
  limit: z.number().int().min(1).max(200).optional().describe("at most so many entries, 50 where nothing is said"),
};

export const pageOutput = {
  total: z.number().int().describe("entries on all pages"),
  nextCursor: z.string().nullable().describe("for the next page; null on the last one"),
};

const USUAL = 50;

/**
 * One page of a list. `version` names the state that the list was made from: a cursor into another one would skip
 * entries or show them twice, so it is refused.
 */
export function pageOf<T>(
  items: readonly T[],
  version: string,
  { cursor, limit = USUAL }: { cursor?: string | undefined; limit?: number | undefined },
): { items: T[]; total: number; nextCursor: string | null } {
  const from = cursor === undefined ? 0 : offsetOf(cursor, version);
  const end = Math.min(from + limit, items.length);
  const nextCursor = end < items.length ? Buffer.from(`${end}:${version}`).toString("base64url") : null;
  return { items: items.slice(from, end), total: items.length, nextCursor };
}

function offsetOf(cursor: string, version: string): number {
  const [, offset, made] = /^(\d{1,9}):(.*)$/s.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? [];
  if (offset === undefined) throw new UaError("usage", "that is no cursor of this tool", "leave it out to start anew");
  if (made !== version) {
    throw new UaError("usage", "the list has changed since that cursor", "leave it out to start anew");
  }
  return Number(offset);
}
