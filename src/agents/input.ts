import { fstatSync, read } from "node:fs";
import { errnoOf } from "../errors.js";
import { fromJson } from "../json.js";

const MOST_BYTES = 1024 * 1024;
const READ_DEADLINE_MS = 400;
const CHUNK_BYTES = 64 * 1024;
const RETRY_MS = 5;

/**
 * `without`: no usable input arrived in time, so the answer is given without it. `garbage`: the input is not a
 * client's.
 */
export type Input = Record<string, unknown> | "without" | "garbage";

interface Listener {
  data(chunk: Buffer): void;
  /** Nothing more comes. */
  end(): void;
  /** False: nothing more is needed. */
  isWaiting(): boolean;
}

/** Where the input comes from. */
export type InputSource = (listener: Listener) => void;

/**
 * The client's JSON from stdin: at most 1 MiB, for at most 0.4 seconds. A complete document is used at once: some callers
 * never close the pipe. Input beyond the limit is read and dropped, otherwise its writer would get an EPIPE.
 */
export function readInput(source: InputSource = descriptor): Promise<Input> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isWaiting = true;
    const done = (input: Input) => {
      isWaiting = false;
      clearTimeout(timer);
      resolve(input);
    };
    const timer = setTimeout(() => done("without"), READ_DEADLINE_MS);
    source({
      isWaiting: () => isWaiting,
      data: (chunk) => {
        size += chunk.length;
        if (size > MOST_BYTES) chunks.length = 0;
        else chunks.push(chunk);
        if (size > MOST_BYTES || (chunk.at(-1) !== CLOSING && chunk.at(-2) !== CLOSING)) return;
        const input = parse(chunks);
        if (input !== "garbage") done(input);
      },
      end: () => done(size === 0 || size > MOST_BYTES ? "without" : parse(chunks)),
    });
  });
}

let hasOpenRead = false;

/** Ends the process. `process.exit` waits for a read, also for one of a pipe to which nothing is written. */
export function leave(): void {
  if (hasOpenRead) process.kill(process.pid, "SIGKILL");
  process.exit(0);
}

/** Without process.stdin: its streams take 6 ms to load. */
const descriptor: InputSource = (listener) => {
  if (fstatSync(0).isCharacterDevice()) return listener.end(); // a terminal, or /dev/null
  const next = () => {
    hasOpenRead = true;
    read(0, Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null, (error, size, chunk) => {
      hasOpenRead = false;
      if (errnoOf(error) === "EAGAIN") setTimeout(next, RETRY_MS);
      else if (error !== null || size === 0)
        listener.end(); // Windows reports the end as an error
      else {
        listener.data(chunk.subarray(0, size));
        if (listener.isWaiting()) next();
      }
    });
  };
  next();
};

/** For a process that may not end by a signal. */
export function streamSource(stdin: NodeJS.ReadableStream & { isTTY?: boolean }): InputSource {
  return (listener) => {
    if (stdin.isTTY === true) return listener.end();
    stdin.on("data", listener.data);
    stdin.on("end", listener.end);
    stdin.on("error", listener.end);
  };
}

/** `}`, possibly followed by a newline. */
const CLOSING = 0x7d;

function parse(chunks: readonly Buffer[]): Input {
  try {
    const value = fromJson(Buffer.concat(chunks).toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : "garbage";
  } catch {
    return "garbage"; // also one that is not complete yet
  }
}
