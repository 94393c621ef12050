/**
 * Replaces `@neon-rs/load` and `detect-libc` when libsql is bundled (scripts/build.mjs): finds the native package for
 * this machine. Their way, through process.report, takes 17 of libsql's 22 ms.
 */
import { isMusl } from "../platform/libc.js";

export const GLIBC = "glibc";
export const MUSL = "musl";

/** It is asked again and again, and read from Node's own program file. */
let family: string | undefined;

export function familySync(): string {
  family ??= isMusl() ? MUSL : GLIBC;
  return family;
}

export function currentTarget(): string {
  const { platform, arch } = process;
  if (platform === "linux") return `linux-${arch}-${familySync() === MUSL ? "musl" : "gnu"}`;
  return platform === "win32" ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

export function load(): never {
  throw new Error("libsql's development mode is not available in a bundle");
}
