import assert from "node:assert/strict";
import { test } from "node:test";
import { textProblem } from "../../src/sharing/segments.js";
import { describe, makeHub, push, shareOn, stored } from "../support/team.js";

const WIDER = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";
const ADDER = "export function add(x: number, y: number, z = 0): number {\n  return x + y + z;\n}\n";

test("a graph that was edited while its commit is behind: what is about code that is not public stays", (t) => {
  const { first } = makeHub(t);
  shareOn(first);
  first.commit("not pushed", { "src/b.ts": WIDER, "src/a.ts": ADDER });
  describe(first, ["src/b.ts"], "agent"); // src/a.ts is pending: the graph's commit is still the public one
  const graph = ".understand-anything/knowledge-graph.json";
  first.write({
    [graph]: first.read(graph).replaceAll("agent: twice", "a person: twice, in the fix that is not public"),
  });
  first.ua("status");
  const edited = stored(first).filter(({ text }) => text.summary.startsWith("a person"));
  assert.equal(edited.length, 1);
  assert.equal(push(first).added, 0);
  first.git("push", "-q");
  assert.equal(push(first).added, 3);
});

test("paths that the default branch leaves out stay out on every branch", (t) => {
  const { first } = makeHub(t);
  shareOn(first);
  first.git("branch", "old");
  first.commit("config", { ".ua-hooksrc.yaml": "share:\n  exclude:\n    - tools/**\n" });
  first.git("push", "-q", "origin", "main", "old");
  describe(first, ["tools/run.py", "src/b.ts"], "agent");
  first.git("checkout", "-q", "old");
  const { added, held } = push(first);
  assert.deepEqual([added, held], [2, [["excluded by the config", 1]]]);
  first.git("checkout", "-q", "main");
  first.commit("broken", { ".ua-hooksrc.yaml": "share: [\n" });
  first.git("push", "-q");
  first.git("checkout", "-q", "old");
  describe(first, ["src/a.ts"], "agent");
  const { code, stderr } = first.ua("share", "push");
  assert.equal(code, 5, "which paths to leave out is not known");
  assert.match(stderr, /refs\/remotes\/origin\/HEAD:\.ua-hooksrc\.yaml/);
});

const problem = (summary: string) => textProblem({ summary, tags: [] });

test("an address is one in any spelling", () => {
  for (const text of [
    "See https://internal.example/x",
    "See HTTPS : // internal.example",
    "See https:\\\\internal.example\\x",
    "See http:/internal.example",
    "See https%3A%2F%2Finternal.example",
    "See https&#58;//internal.example and https&colon;//x",
    "See ｈｔｔｐｓ：／／internal.example",
    "See hxxps[:]//internal[.]example",
    "See //internal.example/x",
    "See \\\\server\\share",
    "See www.internal.example",
    "See internal.example.com/wiki",
    "See wiki.corp.net:8080",
    "Calls 10.0.3.7:8080",
    "Write to anna@internal.example",
    "Clones git@forge.internal.example:team/repo",
    "See mailto:anna",
    "Runs javascript:alert(1)",
    "Shows data:text/html,x",
  ])
    assert.equal(problem(text), "an address", text);
});

test("what looks like a secret, or is a place on somebody's machine, stays", () => {
  for (const text of [
    "Uses AKIAIOSFODNN7EXAMPLE as the key",
    "Token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "Token github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    "Token glpat-abcdefghij0123456789",
    "Token xoxb-1234567890-abcdefghij",
    "Key sk-ant-api03-abcdefghijklmnopqrstuvwxyz",
    "Has -----BEGIN RSA PRIVATE KEY-----",
    "Jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
    "password=hunter2hunter2",
    "Seed 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ])
    assert.equal(problem(text), "what looks like a secret", text);
  for (const text of [
    "Reads /home/anna/project/src/a.ts",
    "Reads /Users/anna/x",
    "Reads C:\\Users\\anna\\x",
    "Reads ~/project/x",
    "Reads file in /root/x",
  ])
    assert.equal(problem(text), "a path of a machine", text);
});

test("what only looks a little like one of these travels", () => {
  for (const text of [
    "Reads src/main.ts and index.js, then calls fs.promises.readFile.",
    "Splits a // comment from its line, and a: b from c.",
    "Serves /users/:id, /home and /api/v1/users.",
    "Needs Node.js 20.17.0 or lodash@4.17.21; version 1.2.3.4 is refused.",
    "Checks whether the password is long enough; token: a string or null.",
    "Maps socket.io events; uses React.Component and std::fs::read.",
    "Returns a data: prefix, an http response, git: the program.",
    "Decorated with @app.route, sends @mentions.",
    "Compares SHA-256 hashes, base64 and UTF-8 text.",
    "Divides a/b by c\\d, keeps C:\\ as it is.",
  ])
    assert.equal(problem(text), null, text);
});
