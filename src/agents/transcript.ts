import { existsSync, writeFileSync } from "node:fs";
import { readEndOf } from "../platform/read-file.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import type { Conversation } from "./notified.js";

/** A line of a transcript may be long; what is further back than this is not searched. */
const MOST_BYTES = 4 * 1024 * 1024;

/** So much of a summary tells it from another one: a client writes the same one again after a resume. */
const EXCERPT = 300;

/**
 * Whether the transcript has got a summary since this was asked last: the conversation was shortened, and our messages with it. Only
 * for a conversation that was notified of something, and only what was added to the transcript is read.
 */
export function isCompacted({ file }: Conversation, transcript: string | null, mark: string): boolean {
  if (transcript === null || !existsSync(file)) return false;
  const seenFile = `${file}.read`;
  const [offset = "", known = ""] = readTextIfThere(seenFile, MOST_TEXT_BYTES)?.split("\n") ?? [];
  const from = Number(offset);
  try {
    const { text, end } = readEndOf(transcript, { from, most: MOST_BYTES });
    const at = text.lastIndexOf(mark);
    const summary = at < 0 ? known : excerptAt(text, at);
    writeFileSync(seenFile, `${end}\n${summary}`, { mode: 0o600 });
    return from > 0 && summary !== known;
  } catch {
    return false; // no transcript: nothing is known, and a message too many is worse than one too few
  }
}

/** Up to a quotation mark: behind it the line goes on with ids and times. */
function excerptAt(text: string, at: number): string {
  const [excerpt = ""] = text.slice(at, at + EXCERPT).split(/["\n]/);
  return excerpt;
}
