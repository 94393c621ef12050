const MOST_BYTES = 1024 * 1024;
const READ_DEADLINE_MS = 400;

/**
 * `without`: no usable input arrived in time, so the answer is given without it. `garbage`: the input is not a
 * client's.
 */
export type Input = Record<string, unknown> | "without" | "garbage";

/**
 * The client's JSON from stdin: at most 1 MiB, for at most 0.4 seconds. A complete document is used at once: some callers
 * never close the pipe. Input beyond the limit is read and dropped, otherwise its writer would get an EPIPE.
 */
export function readInput(stdin: NodeJS.ReadStream = process.stdin): Promise<Input> {
  if (stdin.isTTY) return Promise.resolve("without");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (input: Input) => {
      clearTimeout(timer);
      resolve(input);
    };
    const timer = setTimeout(() => done("without"), READ_DEADLINE_MS);
    stdin.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) chunks.length = 0;
      else chunks.push(chunk);
      if (size > MOST_BYTES || (chunk.at(-1) !== CLOSING && chunk.at(-2) !== CLOSING)) return;
      const input = parse(chunks);
      if (input !== "garbage") done(input);
    });
    stdin.on("end", () => done(size === 0 || size > MOST_BYTES ? "without" : parse(chunks)));
    stdin.on("error", () => done("without"));
  });
}

/** `}`, possibly followed by a newline. */
const CLOSING = 0x7d;

function parse(chunks: readonly Buffer[]): Input {
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : "garbage";
  } catch {
    return "garbage"; // also one that is not complete yet
  }
}
