import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { graphOf, summaries } from "../support/agent.js";
import { answer, askedIn, claim, describeAll, descriptionsFor } from "../support/packets.js";
import { installedRepo, type Repo } from "../support/repo.js";

const functions = (bodies: readonly string[]) =>
  bodies.map((body, at) => `export function f${at}(x: number): number {\n${FILLER}  ${body}\n}\n`).join("\n");
/** So that a part of the file is shorter than the file. */
const FILLER = "  x = (x * 31 + 7) % 1009;\n".repeat(6);
const TEN = Array.from({ length: 10 }, (_, at) => `return x + ${at};`);
const ten = (changed: Record<number, string> = {}) => functions(TEN.map((body, at) => changed[at] ?? body));
const FILE = "src/ten.ts";
const idOf = (name: string) => `function:${FILE}:${name}`;

/** A repository with a file of ten functions, all of them described. */
function describedRepo(t: Parameters<typeof installedRepo>[0]): Repo {
  const repo = installedRepo(t);
  repo.commit("ten", { [FILE]: ten() });
  assert.equal(describeAll(repo, "first").length, 11, "a new file: itself and its functions");
  assert.equal(repo.uaJson("status").status, "fresh");
  return repo;
}

const nodeOf = (repo: Repo, id: string) => graphOf(repo).nodes.find((node) => node.id === id);

test("a new file is a packet with its code; what is said of it is in the graph, and nothing is pending", (t) => {
  const repo = installedRepo(t);
  repo.commit("new", { [FILE]: ten() });
  const { packets, estimatedTokens } = claim(repo);
  const [packet] = packets;
  assert.equal(packets.length, 1);
  assert.equal(packet?.code, ten());
  assert.deepEqual(packet?.describeFile, { id: `file:${FILE}`, change: "new" });
  assert.equal(estimatedTokens, Math.ceil(JSON.stringify(packet).length / 4), "its packet, ids and line ends included");
  const ids = askedIn(packets);
  const { pending, refused, described, applied } = answer(repo, { descriptions: descriptionsFor(ids, "said") });
  assert.deepEqual([pending, refused, applied], [null, [], [FILE]]);
  assert.deepEqual(described, ids);
  assert.equal(summaries(repo).get(idOf("f3")), "said: f3");
  assert.equal(summaries(repo).get(`file:${FILE}`), `said: ${FILE}`);
});

test("of a file of ten functions in which one changed its parameters, one is asked, as a diff with what was said", (t) => {
  const repo = describedRepo(t);
  repo.commit("change", { [FILE]: ten().replace("f4(x: number)", "f4(x: number, y: number)") });
  const { packets, fileChanges } = claim(repo);
  assert.deepEqual(askedIn(packets), [`file:${FILE}`, idOf("f4")]);
  assert.deepEqual(
    fileChanges[0]?.symbols?.map(({ id, change }) => [id, change]),
    [
      [`file:${FILE}`, "interface"],
      [idOf("f4"), "interface"],
    ],
  );
  const [symbol] = packets[0]?.symbols ?? [];
  assert.equal(symbol?.previous, "first: f4");
  assert.match(symbol?.diff ?? "", /^-export function f4\(x: number\): number \{\n\+export function f4\(x: number, y/);
  assert.equal(packets[0]?.outline.length, 9, "the heads of the other functions");
  answer(repo, { descriptions: { [idOf("f4")]: { summary: "two parameters" } }, unchanged: [`file:${FILE}`] });
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get(idOf("f4")), "two parameters");
  assert.equal(summaries(repo).get(idOf("f5")), "first: f5");
  assert.equal(summaries(repo).get(`file:${FILE}`), `first: ${FILE}`);
  assert.deepEqual(nodeOf(repo, idOf("f4"))?.needsReview, undefined);
});

test("what is answered in part is in the graph, and the rest stays pending, also over further commits", (t) => {
  const repo = installedRepo(t);
  repo.commit("new", { [FILE]: ten() });
  const ids = askedIn(claim(repo).packets);
  const [first = "", second = "", ...rest] = ids;
  const { pending, applied } = answer(repo, { descriptions: descriptionsFor([first, second], "part") });
  assert.deepEqual(applied, []);
  assert.deepEqual(pending?.filesToReanalyze, [FILE]);
  assert.deepEqual(
    pending?.fileChanges[0]?.symbols?.map(({ id }) => id),
    rest,
  );
  assert.equal(summaries(repo).get(second), `part: ${second.slice(second.lastIndexOf(":") + 1)}`);
  assert.deepEqual(repo.uaJson("verify", "--against-clean").differences ?? [], []);
  repo.commit("another", { "src/other.ts": "export const other = 1;\n" });
  const [again] = repo.uaJson<{ fileChanges: { symbols: { id: string }[] }[] }>("pending").fileChanges.slice(-1);
  assert.deepEqual(
    again?.symbols.map(({ id }) => id),
    rest,
  );
  describeAll(repo, "rest", "--lease", pending?.lease?.id ?? "");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get(second), `part: ${second.slice(second.lastIndexOf(":") + 1)}`);
});

test("an id that was not claimed is refused by name, and the rest is taken", (t) => {
  const repo = describedRepo(t);
  repo.commit("change", { [FILE]: ten().replace("f4(x: number)", "f4(y: number, x: number)") });
  claim(repo);
  const ids = [idOf("f4"), idOf("f5"), idOf("none"), "function:src/gone.ts:f"];
  const { refused, described, unchanged, pending } = answer(repo, {
    descriptions: descriptionsFor(ids, "now"),
    unchanged: [`file:${FILE}`],
  });
  assert.deepEqual([described, unchanged], [[idOf("f4")], [`file:${FILE}`]]);
  assert.deepEqual(
    refused.map(({ id }) => id),
    ids.slice(1),
  );
  assert.equal(pending, null);
  assert.equal(summaries(repo).get(idOf("f5")), "first: f5");
});

test("an answer is filed under what was claimed, whatever the work tree holds and HEAD became since", (t) => {
  const repo = describedRepo(t);
  const changed = ten().replace("f4(x: number)", "f4(x: number, y: number)");
  repo.commit("change", { [FILE]: changed });
  const { lease } = claim(repo);
  repo.commit("meanwhile", { [FILE]: changed.replace("f6(x: number)", "f6(x: number, z: number)") });
  repo.write({ [FILE]: "// not committed\n" });
  const { pending, refused } = answer(
    repo,
    { descriptions: { [idOf("f4")]: { summary: "two parameters" } }, unchanged: [`file:${FILE}`] },
    ...["--lease", lease?.id ?? ""],
  );
  assert.deepEqual(refused, []);
  assert.deepEqual(
    pending?.fileChanges[0]?.symbols?.map(({ id }) => id),
    [`file:${FILE}`, idOf("f6")],
  );
  assert.equal(summaries(repo).get(idOf("f4")), "two parameters");
});

test("nothing in a packet comes from an uncommitted file", (t) => {
  const repo = describedRepo(t);
  repo.commit("change", { [FILE]: ten().replace("f4(x: number)", "f4(x: number, y: number)") });
  repo.write({ [FILE]: "export function secret() {}\n", "src/b.ts": "export function secret() {}\n" });
  assert.doesNotMatch(JSON.stringify(claim(repo).packets), /secret/);
});

test("behaviour that changed is not asked by default, but counted and flagged; with refresh: behaviour it is asked", (t) => {
  const repo = describedRepo(t);
  repo.commit("throws", { [FILE]: ten({ 2: 'if (x < 0) throw new Error("negative");\n  return x + 2;' }) });
  const status = repo.uaJson<{ status: string; review: number }>("status");
  assert.deepEqual([status.status, status.review], ["fresh", 1]);
  repo.commit("config", { ".ua-hooksrc.json": '{ "refresh": "behaviour" }\n' });
  const { packets, action, reason, fileChanges } = claim(repo);
  assert.deepEqual([action, reason], ["PARTIAL_UPDATE", "1 symbol changed behaviour"]);
  assert.deepEqual(askedIn(packets), [idOf("f2")]);
  assert.equal(fileChanges[0]?.drift, "behaviour");
  answer(repo, { unchanged: [idOf("f2")] });
  const after = repo.uaJson<{ status: string; review: number }>("status");
  assert.deepEqual([after.status, after.review], ["fresh", 0]);
});

test("a symbol that changed its behaviour goes along with the next packet of its file, and is flagged in the graph", (t) => {
  const repo = describedRepo(t);
  const throwing = ten({ 2: 'if (x < 0) throw new Error("negative");\n  return x + 2;' });
  repo.commit("throws", { [FILE]: throwing });
  repo.commit("change", { [FILE]: throwing.replace("f4(x: number)", "f4(x: number, y: number)") });
  const { packets, fileChanges } = claim(repo);
  assert.equal(fileChanges[0]?.aging, 1);
  const aging = packets[0]?.symbols.find(({ id }) => id === idOf("f2"));
  assert.deepEqual([aging?.aging, aging?.change, aging?.previous], [true, "behaviour", "first: f2"]);
  answer(repo, { unchanged: [`file:${FILE}`], descriptions: { [idOf("f4")]: { summary: "two" } } });
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(nodeOf(repo, idOf("f2"))?.needsReview, "behaviour");
  assert.equal(repo.uaJson("status").review, 1);
  repo.commit("again", { [FILE]: throwing.replace("f4(x: number)", "f4(x: number, y: string)") });
  claim(repo);
  answer(repo, { unchanged: [`file:${FILE}`, idOf("f2"), idOf("f4")] });
  assert.equal(nodeOf(repo, idOf("f2"))?.needsReview, undefined);
  assert.equal(repo.uaJson("status").review, 0);
});

test("a node that is not computed is listed by its id; what is said of it stands, what is not said is flagged", (t) => {
  const repo = describedRepo(t);
  const id = "endpoint:GET /ten";
  const endpoint = { id, type: "endpoint", name: "GET /ten", filePath: FILE, summary: "Serves ten.", tags: [] };
  const graph = graphOf(repo);
  const nodes = [...graph.nodes, { ...endpoint, complexity: "simple" }];
  repo.write({ ".understand-anything/knowledge-graph.json": JSON.stringify({ ...graph, nodes }) });
  assert.equal(repo.uaJson("status").status, "fresh");
  const next = (type: string) => {
    repo.commit(type, { [FILE]: ten().replace("f4(x: number)", `f4(x: number, y: ${type})`) });
    return claim(repo).packets[0]?.others;
  };
  const asked = [`file:${FILE}`, idOf("f4")];
  const place = { id, type: "endpoint", name: "GET /ten", lineRange: null };
  assert.deepEqual(next("number"), [{ ...place, previous: "Serves ten." }]);
  answer(repo, { unchanged: asked });
  assert.equal(repo.uaJson("status").status, "fresh", "it was not asked about");
  assert.deepEqual([nodeOf(repo, id)?.summary, nodeOf(repo, id)?.needsReview], ["Serves ten.", true]);

  next("string");
  assert.deepEqual(answer(repo, { unchanged: asked, descriptions: { [id]: { summary: "Serves more." } } }).refused, []);
  assert.deepEqual([nodeOf(repo, id)?.summary, nodeOf(repo, id)?.needsReview], ["Serves more.", undefined]);

  assert.deepEqual(next("boolean"), [{ ...place, previous: "Serves more." }]);
  assert.deepEqual(answer(repo, { unchanged: [...asked, id] }).refused, []);
  assert.deepEqual([nodeOf(repo, id)?.summary, nodeOf(repo, id)?.needsReview], ["Serves more.", undefined]);
});

test("a file whose imports alone changed is a packet of its import lines, and unchanged is an answer", (t) => {
  const repo = describedRepo(t);
  repo.commit("import", { [FILE]: `import { add } from "./a.js";\n${ten()}` });
  const { packets } = claim(repo);
  assert.deepEqual(askedIn(packets), [`file:${FILE}`]);
  assert.equal(packets[0]?.describeFile?.diff, '+import { add } from "./a.js";');
  answer(repo, { unchanged: [`file:${FILE}`] });
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("packets without code, and pages of them", (t) => {
  const repo = installedRepo(t);
  const long = (at: number) => `export function g${at}(): string {\n  return "${"x".repeat(90_000)}";\n}\n`;
  repo.commit("long", Object.fromEntries([0, 1, 2, 3].map((at) => [`src/long${at}.ts`, long(at)])));
  const first = claim(repo);
  assert.deepEqual([first.page, first.pages, first.packets.length], [1, 2, 2]);
  const second = claim(repo, "--lease", first.lease?.id ?? "", "--page", "2");
  assert.deepEqual(
    [...first.packets, ...second.packets].map(({ path }) => path),
    [0, 1, 2, 3].map((at) => `src/long${at}.ts`),
  );
  const brief = claim(repo, "--lease", first.lease?.id ?? "", "--no-code");
  assert.deepEqual([brief.pages, brief.packets.length], [2, 2]);
  assert.doesNotMatch(JSON.stringify(brief.packets), /xxx/);
  assert.equal(repo.ua("claim", "--page", "2", "--json").code, 2);
});

test("what is described in a linked worktree is not asked again there, nor in the main one after a merge", (t) => {
  const repo = describedRepo(t);
  repo.git("worktree", "add", "-q", "-b", "topic", join(repo.base, "linked"));
  const linked = repo.at(join(repo.base, "linked"));
  linked.commit("change", { [FILE]: ten().replace("f4(x: number)", "f4(x: number, y: number)") });
  const ids = askedIn(claim(linked).packets);
  assert.deepEqual(ids, [`file:${FILE}`, idOf("f4")]);
  answer(linked, { unchanged: [`file:${FILE}`], descriptions: descriptionsFor([idOf("f4")], "linked") });
  assert.equal(linked.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get(idOf("f4")), "first: f4");
  repo.git("merge", "-q", "topic");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get(idOf("f4")), "linked: f4");
});

test("a merge of two branches that each described a function asks about neither", (t) => {
  const repo = describedRepo(t);
  repo.git("checkout", "-q", "-b", "topic");
  repo.commit("four", { [FILE]: ten().replace("f4(x: number)", "f4(x: number, y: number)") });
  describeAll(repo, "topic");
  repo.git("checkout", "-q", "main");
  assert.equal(summaries(repo).get(idOf("f4")), "first: f4");
  repo.commit("eight", { [FILE]: ten().replace("f8(x: number)", "f8(x: number, y: number)") });
  describeAll(repo, "main");
  repo.git("merge", "-q", "--no-edit", "topic");
  const { packets, lease } = claim(repo);
  assert.deepEqual(askedIn(packets), [`file:${FILE}`], "as a whole, the file is another one");
  answer(repo, { unchanged: [`file:${FILE}`] }, "--lease", lease?.id ?? "");
  assert.deepEqual(
    ["f4", "f8", "f1"].map((name) => summaries(repo).get(idOf(name))),
    ["topic: f4", "main: f8", "first: f1"],
  );
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("after a revert, what was said before is back, and nothing is asked", (t) => {
  const repo = describedRepo(t);
  repo.commit("change", { [FILE]: ten().replace("f4(x: number)", "f4(x: number, y: number)") });
  describeAll(repo, "second");
  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get(idOf("f4")), "first: f4");
});

test("a function that moved to another file, or got another name, keeps what was said of it", (t) => {
  const repo = describedRepo(t);
  const [, , , , four = ""] = ten().split(/(?<=\n\}\n)\n/);
  const rest = ten().replace(`${four}\n`, "").replaceAll("f7(", "seventh(");
  repo.commit("move", { [FILE]: rest, "src/b.ts": `${repo.read("src/b.ts")}\n${four}` });
  const ids = askedIn(claim(repo).packets);
  assert.deepEqual(ids.sort(), ["file:src/b.ts", `file:${FILE}`]);
  answer(repo, { unchanged: ids });
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get("function:src/b.ts:f4"), "first: f4");
  assert.equal(summaries(repo).get(idOf("seventh")), "first: f7");
  assert.equal(nodeOf(repo, idOf("seventh"))?.needsReview, "renamed");
  assert.equal(nodeOf(repo, "function:src/b.ts:f4")?.needsReview, undefined);
});
