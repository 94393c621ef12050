import { hash } from "node:crypto";

/** Short enough to store for every function, long enough never to meet by chance. */
export function hashOf(text: string | Uint8Array): string {
  return hash("sha1", text, "hex").slice(0, 20);
}
