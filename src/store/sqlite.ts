import { pathToFileURL } from "node:url";
import { messageOf, UaError } from "../errors.js";
import { mayLoadPackage } from "../platform/own-copy.js";
import { faultPoint } from "./fault.js";
import { currentTarget } from "./libsql-target.js";

/** The part of SQLite that is used, and that both drivers have. */
export interface Db {
  exec(sql: string): void;
  get<T>(sql: string, ...values: Value[]): T | undefined;
  all<T>(sql: string, ...values: Value[]): T[];
  run(sql: string, ...values: Value[]): void;
  /** Runs the work with the write lock held from the start: all or nothing. A nested call joins the outer one. */
  write<T>(work: () => T): T;
  close(): void;
}

export type Value = string | number | null | Uint8Array;

interface Statement {
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  run(...values: Value[]): unknown;
}

interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

type DriverClass = new (path: string | URL) => Driver;

/** Translates a driver's error for messages; the two drivers word the same error differently. */
export type Explain = (error: unknown) => unknown;

/**
 * node:sqlite if this Node has it (22.13 and later), else libsql's prebuilt binary. `isFixed`: nothing can be written beside the file, and it has
 * no log. node:sqlite, which closes its databases, would not open it; libsql leaves a log at the end of each process.
 */
export async function openDatabase(
  path: string,
  explain: Explain = (error) => error,
  { isFixed = false } = {},
): Promise<Db> {
  const builtin = builtinDriver();
  if (builtin === null) return wrap(asBuiltin(new (await bundledDriver())(path)), explain);
  return wrap(new builtin(isFixed ? new URL("?immutable=1", pathToFileURL(path)) : path), explain);
}

/**
 * Three differences of libsql: it takes a single value that is null or a buffer for a list of named ones, hence one list for all values;
 * `all` gives bytes as an ArrayBuffer, which has no length; and `get` adds a column of its own, `_metadata`.
 */
function asBuiltin(driver: Driver): Driver {
  const given = (values: Value[]) => values as unknown as Value;
  return {
    exec: (sql) => driver.exec(sql),
    close: () => driver.close(),
    prepare: (sql) => {
      const statement = driver.prepare(sql);
      return {
        get: (...values) => withoutMetadata(statement.get(given(values))),
        run: (...values) => statement.run(given(values)),
        all: (...values) => statement.all(given(values)).map(withBytes),
      };
    },
  };
}

function withoutMetadata(row: unknown): unknown {
  if (typeof row !== "object" || row === null) return row;
  const { _metadata: _, ...columns } = row as Record<string, unknown>;
  return columns;
}

function withBytes(row: unknown): unknown {
  if (typeof row !== "object" || row === null) return row;
  const fields = row as Record<string, unknown>;
  for (const name in fields) {
    const value = fields[name];
    if (value instanceof ArrayBuffer) fields[name] = Buffer.from(value);
  }
  return row;
}

/** The binary is an optional package, which npm can omit: this is not a damaged database. */
async function bundledDriver(): Promise<DriverClass> {
  try {
    const binary = `@libsql/${currentTarget()}`;
    if (!mayLoadPackage(binary)) throw new Error(`${binary} is not in the clone's copy of the program`);
    return (await import("libsql")).default as unknown as DriverClass;
  } catch (error) {
    const way =
      "use Node 22.13 or later, or install ua-hooks with its optional packages (npm install --include=optional)";
    throw new UaError("failed", `SQLite cannot be loaded: ${messageOf(error).split("\n", 1)[0]}`, way, error);
  }
}

function builtinDriver(): DriverClass | null {
  if (FOR_TESTS && process.env.UA_HOOKS_SQLITE === "libsql") return null; // so that one Node can be tested with both
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 13)) return null;
  // Node prints "SQLite is an experimental feature" on stderr, once per process: not wanted in a hook.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const builtin = process.getBuiltinModule("node:sqlite") as { DatabaseSync: DriverClass } | undefined;
    return builtin?.DatabaseSync ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function wrap(driver: Driver, explain: Explain): Db {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explain(error);
    }
  };
  const statements = new Map<string, Statement>();
  const prepare = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = driver.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  const exec = (sql: string) => attempt(() => void driver.exec(sql));
  let writing = false;
  return {
    exec,
    get: <T>(sql: string, ...values: Value[]) =>
      attempt(() => (prepare(sql).get(...values) ?? undefined) as T | undefined),
    all: <T>(sql: string, ...values: Value[]) => attempt(() => prepare(sql).all(...values) as T[]),
    run: (sql, ...values) => {
      if (!writing) faultPoint("db.run");
      attempt(() => void prepare(sql).run(...values));
    },
    write: (work) => {
      if (writing) return work();
      exec("BEGIN IMMEDIATE");
      writing = true;
      try {
        const result = work();
        faultPoint("db.commit");
        exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(driver);
        throw error;
      } finally {
        writing = false;
      }
    },
    close: () => void driver.close(),
  };
}

function rollBack(driver: Driver): void {
  try {
    driver.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back already (disk full, damage): throw the first error
  }
}
