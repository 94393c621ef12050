import { z } from "zod";
import { UaError } from "../../errors.js";

/** Input and output of a tool that returns a list. */
export const pageInput = {
  cursor: z.string().max(200).optional().describe("nextCursor of the previous page"),
  limit: z.number().int().min(1).max(200).optional().describe("maximum number of entries, default 50"),
};

export const pageOutput = {
  total: z.number().int().describe("entries on all pages"),
  nextCursor: z.string().nullable().describe("for the next page; null on the last one"),
};

const USUAL = 50;

/**
 * One page of a list. `version` names the state that the list was made from: with a cursor of another state entries
 * would be skipped or repeated, so it is refused.
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
  if (offset === undefined)
    throw new UaError("usage", "this is not a cursor of this tool", "omit the cursor to start again");
  if (made !== version) {
    throw new UaError("usage", "the list has changed since this cursor was issued", "omit the cursor to start again");
  }
  return Number(offset);
}
