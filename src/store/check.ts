import { UaError } from "../errors.js";
import { fromJson } from "../json.js";

/** Checks for data that comes from a file or the database: what passes has the type. */
export type Check<T> = (value: unknown) => value is T;

export const isText: Check<string> = (value): value is string => typeof value === "string";

export const isNumber: Check<number> = (value): value is number => typeof value === "number";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (value): value is T | null =>
    value === null || check(value);

export const oneOf =
  <T extends string>(...allowed: readonly T[]): Check<T> =>
  (value): value is T =>
    allowed.some((one) => one === value);

export const listOf =
  <T>(check: Check<T>): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(check);

export const pairOf =
  <A, B>(first: Check<A>, second: Check<B>): Check<[A, B]> =>
  (value): value is [A, B] =>
    Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1]);

type RequiredKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
type Required<T> = { [K in RequiredKeys<T>]: Check<T[K]> };
type Optional<T> = { [K in Exclude<keyof T, RequiredKeys<T>>]-?: Check<Exclude<T[K], undefined>> };

/** An object with the required keys of the type; those in `optional` may be absent. Other keys are not looked at. */
export const objectOf = <T extends object>(required: Required<T>, optional?: Optional<T>): Check<T> => {
  const all = Object.entries<Check<unknown>>(required);
  const some = Object.entries<Check<unknown>>(optional ?? {});
  return (value): value is T =>
    isObject(value) &&
    all.every(([key, check]) => check(value[key])) &&
    some.every(([key, check]) => value[key] === undefined || check(value[key]));
};

/** The same, of a column that nothing else knows: a text that does not pass is damage. */
export function parseStored<T>(text: string, check: Check<T>, what: string): T {
  const value = parseJson(text, check);
  if (value === null) throw damagedValue(what);
  return value;
}

export function damagedValue(what: string): UaError {
  return new UaError(
    "damaged",
    `state.db contains a value that cannot be read: ${what}`,
    "move state.db and state.db-wal in the state dir (`ua-hooks status --json` names it) away and run `ua-hooks install`: everything but records, summaries and trust is rebuilt from git and the graph",
  );
}

/** What a JSON text says, if it has the type; null otherwise, also where the text is no JSON. */
export function parseJson<T>(text: string, check: Check<T>): T | null {
  try {
    const value = fromJson(text);
    return check(value) ? value : null;
  } catch {
    return null; // no JSON
  }
}
