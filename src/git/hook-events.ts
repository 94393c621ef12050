/** The four hooks that run after HEAD's commit changed (githooks(5)). */
export const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"] as const;
export type Event = (typeof EVENTS)[number];

export function isEvent(name: string): name is Event {
  return EVENTS.some((event) => event === name);
}
