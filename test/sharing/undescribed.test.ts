import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { describing, withAgent } from "../support/headless.js";
import { type Repo, repoAt } from "../support/repo.js";
import { type Hub, makeHub, pull, push, shareOn, stored } from "../support/team.js";

/** `base` is used by two files, `middle` by one, `top` and `alone` by none. */
const PROJECT = {
  "src/base.ts": "export function base(x: number): number {\n  return x + 1;\n}\n",
  "src/middle.ts":
    'import { base } from "./base.js";\n\nexport function middle(x: number): number {\n  return base(x) * 2;\n}\n',
  "src/top.ts":
    'import { base } from "./base.js";\nimport { middle } from "./middle.js";\n\nexport function top(): number {\n  return middle(base(1));\n}\n',
  "src/alone.ts": "export function alone(): string {\n  return String(Math.random());\n}\n",
};
const SUMMARY = "Says what it does.";

interface Ran {
  state: string;
  described: string[];
  undescribed: number | null;
  stopped: string | null;
}

const describeAll = (repo: Repo, tokens = 50_000) =>
  repo.uaJson<Ran>("run", "--analyzer", "claude", "--max-tokens", String(tokens), "--undescribed");

/** As a job has it that clones anew each time: one commit, nothing stored. */
function ciClone({ first, dir }: Hub, name: string): Repo {
  const repo = first.at(join(first.base, name));
  first.git("clone", "-q", "--depth", "1", pathToFileURL(dir).href, repo.dir);
  assert.equal(repo.git("rev-list", "--count", "HEAD").trim(), "1");
  assert.equal(repo.ua("install", "--yes").code, 0);
  shareOn(repo, "pushers", "--author", "ci");
  return repo;
}

function withClaude(repo: Repo, answer = describing(SUMMARY)): ReturnType<typeof withAgent> {
  const made = withAgent(repo, answer);
  made.repo.uaJson("trust", "--analyzer", "claude", "--tokens-per-day", "100000");
  return made;
}

test("one clone pays, every clone knows: a job describes what nobody has, another clone asks its agent nothing", (t) => {
  const hub = makeHub(t, { files: PROJECT });
  hub.first.commit("more", { "README.md": "# Small\n" });
  hub.first.git("push", "-q");
  const { repo: ci, asked } = withClaude(ciClone(hub, "ci-one"));
  pull(ci);
  const { described, undescribed, stopped } = describeAll(ci);
  assert.deepEqual([undescribed, stopped], [0, null]);
  for (const id of ["function:src/base.ts:base", "file:src/base.ts", "function:src/alone.ts:alone"])
    assert.ok(described.includes(id), `${id}: ${described.join()}`);
  assert.equal(asked().length, 1, "one question for all of it");
  assert.ok(asked()[0]?.input.includes("return base(x) * 2;"));
  assert.ok(ci.read(".understand-anything/knowledge-graph.json").includes(SUMMARY));
  assert.deepEqual(new Set(stored(ci).map(({ source }) => source)), new Set(["here"]));
  assert.equal(ci.marker(), null);
  assert.equal(describeAll(ci).state, "nothing");
  const { added, state } = push(ci);
  assert.deepEqual([added, state], [described.length, "pushed"]);

  // The next night, in a new clone: nothing is left to describe.
  const { repo: next, asked: askedNext } = withClaude(ciClone(hub, "ci-two"));
  pull(next);
  assert.deepEqual([describeAll(next).state, push(next).added], ["nothing", 0]);

  const { repo: other, asked: askedOther } = withClaude(hub.clone("other"));
  shareOn(other);
  assert.deepEqual(pull(other).taken, [{ author: "ci", added: described.length, refused: 0 }]);
  assert.ok(other.read(".understand-anything/knowledge-graph.json").includes(SUMMARY));
  assert.equal(describeAll(other).state, "nothing");
  assert.deepEqual([...askedNext(), ...askedOther()], [], "no agent was asked");
});

test("the most used symbols come first, and the tokens are a bound: the next run goes on", (t) => {
  const large = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => {
      const lines = Array.from({ length: 60 }, (_line, n) => `  console.log("${at} ${n}", ${at} + ${n});`);
      return [`src/large${at}.ts`, `export function large${at}(): void {\n${lines.join("\n")}\n}\n`];
    }),
  );
  const hub = makeHub(t, { files: { ...large, ...PROJECT } });
  const { repo, asked } = withClaude(hub.clone("job"));
  const first = describeAll(repo, 5_000);
  assert.ok(first.described.includes("function:src/base.ts:base"), first.described.join());
  assert.match(first.stopped ?? "", /--max-tokens is reached/);
  assert.ok((first.undescribed ?? 0) > 0);
  const [question] = asked();
  assert.ok(Buffer.byteLength(question?.input ?? "") <= 5_000 * 3);
  const byUse = ["file:src/base.ts", "function:src/base.ts:base", "function:src/middle.ts:middle"];
  for (const id of byUse) assert.ok(question?.ids.includes(id), id);
  const second = describeAll(repo);
  assert.deepEqual([second.undescribed, second.stopped], [0, null]);
  assert.equal(
    new Set([...first.described, ...second.described]).size,
    first.described.length + second.described.length,
  );
});

test("what is not on the remote is described, and not sent", (t) => {
  const hub = makeHub(t, { files: PROJECT });
  const { repo } = withClaude(hub.clone("job"));
  shareOn(repo);
  repo.commit("not pushed", { "src/secret.ts": "export function secret(): number {\n  return 42;\n}\n" });
  const { described } = describeAll(repo);
  assert.ok(described.includes("function:src/secret.ts:secret"), "what is pending comes first");
  const secret = described.filter((id) => id.includes("src/secret.ts")).length;
  const { held, added } = push(repo);
  assert.deepEqual(held, [["of code that no branch of origin has", secret]]);
  assert.equal(added, described.length - secret);
  repo.git("push", "-q");
  assert.equal(push(repo).added, secret);
});

test("an agent without usable answers: three questions, nothing stored; wrong options are refused", (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 450 }, (_, at) => [
      `src/f${at}.ts`,
      `export function f${at}(): number {\n  return ${at};\n}\n`,
    ]),
  );
  const hub = makeHub(t, { files: many });
  const { repo, asked } = withClaude(hub.clone("job"), 'console.log("I would rather not.");');
  const { code, stderr } = repo.ua("run", "--analyzer", "claude", "--max-tokens", "90000", "--undescribed");
  assert.notEqual(code, 0, stderr);
  assert.equal(asked().length, 3);
  const ids = asked().flatMap((one) => one.ids);
  assert.equal(new Set(ids).size, ids.length, "no symbol twice");
  assert.deepEqual(stored(repo), []);
  assert.match(repo.ua("run", "--analyzer", "claude", "--undescribed").stderr, /needs --max-tokens/);
  assert.equal(repo.ua("run", "--undescribed").code, 2);
  repo.uaJson("trust", "--revoke");
  const untrusted = repo.ua("run", "--analyzer", "claude", "--max-tokens", "90000", "--undescribed");
  assert.match(untrusted.stderr, /claude may not describe code in this clone/);
});

test("a run that is killed: what was described stays, is shown and is not asked again", (t) => {
  const hub = makeHub(t, { files: PROJECT });
  const { repo, asked } = withClaude(hub.clone("job"));
  const killed = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: "graph.write:kill" });
  assert.notEqual(killed.ua("run", "--analyzer", "claude", "--max-tokens", "50000", "--undescribed").code, 0);
  assert.ok(stored(repo).length > 0);
  repo.ua("status");
  assert.ok(repo.read(".understand-anything/knowledge-graph.json").includes(SUMMARY));
  assert.equal(describeAll(repo).state, "nothing");
  assert.equal(asked().length, 1);
});
