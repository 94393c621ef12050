/** The kinds of errors of a command, each with its exit status (0 is success, 1 a finding). */
export const EXIT = {
  usage: 2,
  "not-a-repository": 3,
  "not-set-up": 3,
  busy: 4,
  damaged: 5,
  refused: 5,
  git: 6,
  failed: 6,
} as const;

export type ErrorCode = keyof typeof EXIT;

/** Thrown low, printed once, in cli/. `next` is what the user can do about it. */
export class UaError extends Error {
  readonly code: ErrorCode;
  readonly next: string | undefined;

  constructor(code: ErrorCode, message: string, next?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "UaError";
    this.code = code;
    this.next = next;
  }

  get exitCode(): number {
    return EXIT[this.code];
  }
}

/** The state database is of another version than this program (invariant "upgrades are seamless"). */
export class VersionError extends UaError {
  readonly database: "older" | "newer";

  constructor(database: "older" | "newer", message: string, next: string) {
    super("damaged", message, next);
    this.database = database;
  }
}

export function isVersionError(error: unknown): error is VersionError {
  return isUaError(error) && "database" in error;
}

/** Also one from another file of dist/, which has its own copy of the class. */
export function isUaError(error: unknown): error is UaError {
  return error instanceof Error && error.name === "UaError" && "exitCode" in error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Where it stops to be JSON. Not in the words of JSON.parse: those repeat the text, which may be anyone's. */
export function jsonProblem(text: string, error: unknown): string {
  const at = /\bposition (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (at === undefined) return "is not JSON";
  const lines = text.slice(0, Number(at)).split("\n");
  return `is not JSON (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}
