import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Repo } from "./repo.js";
import { describe, type Hub, makeHub, shareOn, stored } from "./team.js";

export const REFS = "refs/ua-hooks/descriptions/v1/";

export interface Scene {
  hub: Hub;
  /** The one who reads. */
  reader: Repo;
  /** A line as an honest author would write it, of src/b.ts. */
  line: Record<string, unknown>;
}

/** Someone with the right to push, and a bare repository of their own to push from. */
export function makeScene(t: TestContext): Scene {
  const hub = makeHub(t);
  const reader = hub.clone("reader");
  shareOn(reader);
  describe(hub.first, ["src/b.ts"], "honest");
  const [, line] = stored(hub.first);
  return { hub, reader, line: { ...line, source: "here" } };
}

/** What git makes of some input, in the bare repository. */
export function make({ hub }: Scene, input: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, {
    ...{ cwd: hub.dir, env: hub.first.env, input, encoding: "utf8" },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Pushes segments under any name, on top of nothing, by force. */
export function publish(scene: Scene, author: string, segments: readonly (string | Buffer)[], name?: string): void {
  const { first, dir } = scene.hub;
  const bare = first.at(dir);
  const entries = segments.map((content) => {
    const file = join(first.base, "segment");
    writeFileSync(file, content);
    const oid = bare.git("hash-object", "-w", file);
    return `100644 blob ${oid}\t${name ?? `${oid}.jsonl`}\n`;
  });
  publishTree(scene, author, make(scene, entries.join(""), "mktree"));
}

export function publishTree({ hub }: Scene, author: string, tree: string): void {
  const bare = hub.first.at(hub.dir);
  bare.git("update-ref", `${REFS}${author}`, bare.git("commit-tree", "-m", "x", tree));
}

export const jsonl = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

export const withSummary = (line: Scene["line"], summary: string) => ({
  ...line,
  text: { ...(line.text as object), summary },
});
