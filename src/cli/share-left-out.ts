import type { LeftOut } from "../sharing/settings.js";

/** `a, b and 12 more: why`. */
export function leftOutLine({ why, count: number, authors }: LeftOut): string {
  const more = number > authors.length ? ` and ${number - authors.length} more` : "";
  return `${authors.join(", ")}${more}: ${why}`;
}
