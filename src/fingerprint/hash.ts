import { createHash } from "node:crypto";

/** Short enough to store for every function, long enough never to meet by chance. */
export function hashOf(...texts: string[]): string {
  const sum = createHash("sha1");
  for (const text of texts) sum.update(text);
  return sum.digest("hex").slice(0, 20);
}
