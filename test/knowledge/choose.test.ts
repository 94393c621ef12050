import assert from "node:assert/strict";
import { test } from "node:test";
import {
  choose,
  type DescriptionCandidate,
  type DescriptionSource,
  type Nearness,
} from "../../src/knowledge/choose.js";
import type { DescriptionKey } from "../../src/knowledge/description-keys.js";

/** The symbol that a description is looked for. */
const WANTED: DescriptionKey = {
  ...{ type: "function", path: "src/a.ts", name: "f", hash: "h1:now" },
  ...{ bareHash: "h1:bare", signature: "s", behaviour: [1, 0, 0, "calls"] },
};

interface RowOrigin {
  source: DescriptionSource;
  at: string;
  text: string;
}

let next = 0;
const row = (
  name: string,
  { source = "here", at = "2026-01-01", text, ...key }: Partial<DescriptionKey> & Partial<RowOrigin>,
): DescriptionCandidate & { called: string } => ({
  ...{ id: ++next, source, at, called: name, text: { summary: text ?? name } },
  key: { ...WANTED, hash: "h1:other", bareHash: "h1:other", ...key },
});

const exact = { hash: "h1:now" };
const body = { hash: "h1:body" };
const behaviour = { hash: "h1:behaviour", behaviour: [2, 0, 0, "others"] as const };
const changed = { hash: "h1:interface", signature: "t" };

const CASES: [what: string, rows: DescriptionCandidate[], called: string | null, nearness?: Nearness][] = [
  ["nothing is stored", [], null],
  ["the same content", [row("a", exact)], "a", "exact"],
  ["another body", [row("a", body)], "a", "body"],
  ["another behaviour", [row("a", behaviour)], "a", "behaviour"],
  ["another interface", [row("a", changed)], "a", "interface"],
  ["nearer is better than newer", [row("a", exact), row("b", { ...body, at: "2026-02-02" })], "a", "exact"],
  ["nearer is better than of a better rank", [row("a", { ...exact, source: "shared" }), row("b", body)], "a", "exact"],
  ["a body is nearer than a behaviour", [row("a", behaviour), row("b", body), row("c", changed)], "b", "body"],
  ["a behaviour is nearer than an interface", [row("a", changed), row("b", behaviour)], "b", "behaviour"],
  ["of equal ones the newest", [row("a", exact), row("b", { ...exact, at: "2026-02-02" })], "b", "exact"],
  ["of one time the last stored", [row("a", exact), row("b", exact)], "b", "exact"],
  ["ours before a shared one", [row("a", exact), row("b", { ...exact, source: "shared", at: "2026-02-02" })], "a"],
  [
    "HEAD's is worth as much as ours",
    [row("a", exact), row("b", { ...exact, source: "tracked", at: "2026-02-02" })],
    "b",
  ],
  ["moved as it was, from where it is gone", [row("a", { ...exact, path: "src/gone.ts" })], "a", "moved"],
  ["the same elsewhere, where it still is", [row("a", { ...exact, path: "src/there.ts" })], null],
  [
    "two places that it could have come from",
    [row("a", { ...exact, path: "src/gone.ts" }), row("b", { ...exact, path: "src/gone-too.ts" })],
    null,
  ],
  [
    "two texts from one place",
    [row("a", { ...exact, path: "src/gone.ts" }), row("b", { ...exact, path: "src/gone.ts" })],
    "b",
    "moved",
  ],
  [
    "one text at two places that it could have come from",
    [
      row("a", { ...exact, path: "src/gone.ts", text: "one" }),
      row("b", { ...exact, path: "src/gone-too.ts", text: "one" }),
    ],
    "b",
    "moved",
  ],
  [
    "a text that followed its symbol, and another one that was written there",
    [
      row("a", { ...exact, path: "src/gone.ts", text: "one", at: "2026-03-03" }),
      row("b", { ...exact, path: "src/gone-too.ts", text: "one", at: "2026-03-03" }),
      row("c", { ...exact, path: "src/gone-too.ts", at: "2026-02-02" }),
    ],
    "b",
    "moved",
  ],
  [
    "a newer text than the one that followed its symbol",
    [
      row("d", { ...exact, path: "src/gone.ts", at: "2025-03-03" }),
      row("a", { ...exact, path: "src/gone.ts", text: "one" }),
      row("b", { ...exact, path: "src/gone-too.ts", text: "one" }),
      row("c", { ...exact, path: "src/gone-too.ts", at: "2026-02-02" }),
    ],
    "c",
    "moved",
  ],
  ["the same in another class, which is gone", [row("a", { ...exact, name: "gone" })], "a", "moved"],
  ["renamed, and the text came along", [row("a", { bareHash: "h1:bare" })], "a", "renamed"],
  ["another path and another content", [row("a", { ...body, path: "src/gone.ts" })], null],
  [
    "moved and renamed at once, with an equal body",
    [row("a", { path: "src/gone.ts", name: "g", bareHash: "h1:bare" })],
    "a",
    "renamed",
  ],
  [
    "an equal body under another name, in a file that still has it",
    [row("a", { path: "src/there.ts", name: "g", bareHash: "h1:bare" })],
    null,
  ],
  ["renamed with an equal body", [row("a", { name: "gone", bareHash: "h1:bare" })], "a", "renamed"],
  ["an equal body under a name that is still there", [row("a", { name: "there", bareHash: "h1:bare" })], null],
  [
    "two names that it could have had",
    [row("a", { name: "gone", bareHash: "h1:bare" }), row("b", { name: "gone2", bareHash: "h1:bare" })],
    null,
  ],
  ["moved is nearer than a body here", [row("a", body), row("b", { ...exact, path: "src/gone.ts" })], "b", "moved"],
  [
    "renamed is nearer than a body here",
    [row("a", body), row("b", { name: "gone", bareHash: "h1:bare" })],
    "b",
    "renamed",
  ],
  ["a class of that name", [row("a", { ...exact, type: "class" })], null],
];

const options = (trackedCounts: boolean) => ({
  trackedCounts,
  isThere: ({ path, name }: { path: string; name: string }) => path === "src/there.ts" || name === "there",
});

for (const [what, rows, called, nearness] of CASES) {
  test(`the description that stands: ${what}`, () => {
    const found = choose(WANTED, rows as (DescriptionCandidate & { called: string })[], options(true));
    assert.equal(found?.description.called ?? null, called);
    if (nearness !== undefined) assert.equal(found?.nearness, nearness);
  });
}

test("what came with a tracked graph counts only where HEAD has it", () => {
  const tracked = row("theirs", { ...exact, source: "tracked", at: "2026-09-09" });
  assert.equal(choose(WANTED, [tracked], options(false)), null);
  const ours = row("ours", { ...body });
  assert.equal(choose(WANTED, [tracked, ours], options(false))?.description.called, "ours");
  assert.equal(choose(WANTED, [tracked, ours], options(true))?.description.called, "theirs");
});

test("a test's body never counts as behaviour", () => {
  const aside = row("a", { ...behaviour, isAside: true });
  assert.equal(choose({ ...WANTED, isAside: true }, [aside], options(true))?.nearness, "body");
});

test("a node that is known by its whole file says nothing about another content of it, nor about another node", () => {
  const whole: DescriptionKey = { type: "config", path: "a.yml", name: "config:a", hash: "blob:1" };
  const of = (key: Partial<DescriptionKey>): DescriptionCandidate => ({
    id: 1,
    ...{ source: "here", at: "", text: {} },
    key: { ...whole, ...key },
  });
  assert.equal(choose(whole, [of({})], options(true))?.nearness, "exact");
  assert.equal(choose(whole, [of({ hash: "blob:2" })], options(true))?.nearness, "interface");
  assert.equal(choose(whole, [of({ name: "config:gone" })], options(true)), null);
});
