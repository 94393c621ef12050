import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isObject as isAnyObject, parseJson } from "../store/check.js";

export interface TranscriptMessage {
  role: "user" | "agent";
  text: string;
  at: Date;
}

/** Bytes read at a time, bytes read in total, and the longest line that is parsed. */
const CHUNK = 256 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_LINE = 512 * 1024;

/**
 * The last two messages of the user and of the agent each, oldest first. Read from the end, because a long transcript
 * has many megabytes; lines that are cut short or have another format are skipped.
 */
export function lastMessages(file: string, now: Date, each = 2): TranscriptMessage[] {
  const users: TranscriptMessage[] = [];
  const agents = new Map<string, TranscriptMessage>();
  let unnamed = 0;
  for (const line of linesFromEnd(file)) {
    const entry = parseEntry(line, now);
    if (entry === null) continue;
    if (entry.role === "user") {
      if (users.length < each) users.push(entry);
    } else {
      // One answer of a model can be several lines with one id.
      const id = entry.id ?? `unnamed ${unnamed++}`;
      const known = agents.get(id);
      if (known !== undefined) agents.set(id, { ...entry, text: `${entry.text}\n${known.text}` });
      else if (agents.size < each) agents.set(id, entry);
    }
    if (users.length === each && agents.size === each && entry.role === "user") break;
  }
  const all = [...users, ...agents.values()].map(({ role, text, at }) => ({ role, text, at }));
  return all.sort((a, b) => a.at.getTime() - b.at.getTime());
}

function* linesFromEnd(file: string): Generator<string> {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe would wait for its writer, and has no size
  try {
    const { size } = fstatSync(fd);
    let rest = Buffer.alloc(0);
    for (let end = size; end > 0 && size - end < MOST_BYTES; ) {
      const start = Math.max(0, end - CHUNK);
      const chunk = Buffer.alloc(end - start);
      readSync(fd, chunk, 0, chunk.length, start);
      end = start;
      const first = start === 0 ? 0 : chunk.indexOf(10) + 1;
      if (first === 0 && start > 0) {
        // Inside one long line: keep it only while it can still be a message.
        rest = chunk.length + rest.length > LONGEST_LINE ? Buffer.alloc(LONGEST_LINE) : Buffer.concat([chunk, rest]);
        continue;
      }
      const lines = Buffer.concat([chunk.subarray(first), rest])
        .toString("utf8")
        .split("\n");
      rest = Buffer.from(chunk.subarray(0, first === 0 ? 0 : first - 1));
      for (const line of lines.reverse()) if (line.length < LONGEST_LINE) yield line;
    }
  } finally {
    closeSync(fd);
  }
}

interface TranscriptEntry extends TranscriptMessage {
  id: string | null;
}

/**
 * `{"type":"user","message":{"role":"user","content":"…"},"timestamp":"…"}` (Claude Code), with the content a text or a
 * list of parts; other clients have the same under `payload`, or at the top level. Output of tools and other entries
 * (summaries, other agents, reminders) are no messages.
 */
function parseEntry(line: string, now: Date): TranscriptEntry | null {
  if (!line.includes('"content"') || line.includes('"tool_result"')) return null;
  const raw = parseJson(line, isAnyObject);
  if (raw === null) return null; // cut short, or not JSON
  if (raw.isMeta === true || raw.isSidechain === true || raw.isCompactSummary === true) return null;
  const message = [raw.message, raw.payload, raw].find(isObject) ?? {};
  const { role, content, id } = message;
  if (role !== "user" && role !== "assistant") return null;
  const text = textOf(content);
  if (text === "") return null;
  const at = new Date(typeof raw.timestamp === "string" ? raw.timestamp : Number.NaN);
  return {
    ...{ role: role === "user" ? "user" : "agent", text, id: typeof id === "string" ? id : null },
    at: at <= now ? at : now, // also where it is no time
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "role" in value;
}

function textOf(content: unknown): string {
  const parts = typeof content === "string" ? [content] : Array.isArray(content) ? content.map(partText) : [];
  return parts
    .join("\n")
    .replace(/<(system-reminder|command-[a-z]+|local-command-[a-z]+)>[\s\S]*?<\/\1>/g, "")
    .trim();
}

function partText(part: unknown): string {
  if (typeof part !== "object" || part === null || !("text" in part) || !("type" in part)) return "";
  const isText = part.type === "text" || part.type === "input_text" || part.type === "output_text";
  return isText && typeof part.text === "string" ? part.text : "";
}
