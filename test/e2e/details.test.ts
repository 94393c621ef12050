import assert from "node:assert/strict";
import { test } from "node:test";
import type { Marker } from "../../src/marker/marker.js";
import { applyTo } from "../support/agent.js";
import { installedRepo, type Repo } from "../support/repo.js";

const text = (add: string, sub: string) =>
  `export function add(${add}): number {\n  return x;\n}\n\nexport function sub(${sub}): number {\n  return x;\n}\n`;

function describe(repo: Repo, content: string | null, ...ids: string[]): void {
  if (content !== null) repo.commit("described", { "src/two.ts": content });
  const [file] = repo.uaJson<Marker>("claim").fileChanges;
  const asked = ids.length > 0 ? ids : (file?.symbols ?? []).map(({ id }) => id);
  const descriptions = Object.fromEntries(asked.map((id) => [id, { summary: `Of ${id}.` }]));
  assert.deepEqual(applyTo(repo, { descriptions }).refused, []);
}

test("the details of a file name what differs from its description, not what another branch described", (t) => {
  const repo = installedRepo(t, { name: "two", files: { "src/two.ts": text("x: number", "x: number") } });
  describe(repo, text("x: string", "x: string"));
  repo.commit("wider sub", { "src/two.ts": text("x: string", "x: string, z: number") });
  repo.git("checkout", "-q", "-b", "topic");
  repo.commit("wider add", { "src/two.ts": text("x: string, y: number", "x: string, z: number") });
  describe(repo, null, "function:src/two.ts:add");
  repo.git("checkout", "-q", "main");
  const [change] = repo.marker()?.fileChanges ?? [];
  assert.deepEqual(change?.details, ["exports changed", "signature changed: sub"]);
  assert.ok(change?.symbols?.every(({ id }) => !id.endsWith(":add")));
});
