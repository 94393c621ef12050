import assert from "node:assert/strict";
import { join } from "node:path";
import type { ModelRequest } from "./model-server.js";
import { type Heard, messagesIn, readIn, type Scene, type Step } from "./scene.js";

/** What a real client must show. `run` throws where it does not; a text that it returns is a limit of the client's own. */
export interface Expectation {
  name: string;
  /** null: for every client. */
  clients: readonly string[] | null;
  run(scene: Scene): Promise<string | undefined>;
}

const WIDER = "export function b(x: number, y: number): number {\\n  return x * y;\\n}\\n";
const commitOf = (file: string, text: string) => `printf '${text}' > ${file} && git add -A && git commit -q -m change`;

/** A commit of the agent's own, after which a description may be wrong. */
export const CHANGE: Step = { shell: commitOf("src/b.ts", WIDER) };
export const changeByUser = (scene: Scene) => scene.sh(commitOf("src/b.ts", WIDER));

export const install = (scene: Scene, ...more: string[]) =>
  scene.ua("install", "--yes", "--agent", scene.client.name, ...more);

/** The turn ended well, and the model was asked. */
export async function turn(scene: Scene, steps: readonly Step[], options = {}): Promise<Heard> {
  const heard = await scene.turn(steps, options);
  assert.equal(heard.code, 0, heard.output.slice(-2000));
  return heard;
}

export const counts = (requests: readonly ModelRequest[]) => requests.map((request) => messagesIn(request));
export const last = (requests: readonly ModelRequest[]) => requests.at(-1) ?? assert.fail("the model was not asked");

export const SUMMARY = "Multiplies two numbers.";

/** Our MCP server in the user's own settings. */
export function addMcp({ client, place }: Scene): void {
  client.addMcp(place, "sh", [join(place.repo, ".git/ua-hooks/bin/ua-hooks"), "mcp"]);
}

export const graphOf = ({ place }: Scene) => readIn(place, ".understand-anything/knowledge-graph.json") ?? "";

export function markerOf({ place }: Scene): { attempts: number; lease: { holder: string } | null } | null {
  return JSON.parse(readIn(place, ".understand-anything/pending-update.json") ?? "null") as ReturnType<typeof markerOf>;
}

export async function assertDescribed(scene: Scene): Promise<void> {
  const { status, reason } = JSON.parse(await scene.ua("status", "--json")) as { status: string; reason: string };
  assert.equal(status, "fresh", reason);
  assert.equal(markerOf(scene), null);
  assert.ok(graphOf(scene).includes(SUMMARY));
}
