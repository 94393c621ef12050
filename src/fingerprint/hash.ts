/** Loaded when something is hashed: it takes 4 ms, and many commands hash nothing. */
let hash: typeof import("node:crypto").hash | undefined;

/** Short enough to store for every function, long enough never to meet by chance. */
export function hashOf(text: string | Uint8Array): string {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return hash("sha1", text, "hex").slice(0, 20);
}
