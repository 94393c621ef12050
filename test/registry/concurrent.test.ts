import assert from "node:assert/strict";
import { test } from "node:test";
import { cli, installedRepo, start } from "../support/repo.js";
import { LONG } from "../support/workers.js";
import { BODY, INTERFACE, list, show, tell, unwatchedRepo, updateFile, verdictsIn, verify } from "./support.js";

const FILES = LONG ? 10 : 6;
const pathOf = (at: number) => `src/f${at}.ts`;

test(`${FILES} processes verify and ${FILES} update at once: no summary is lost, and none reports a locked database`, async (t) => {
  const repo = unwatchedRepo(t);
  const texts = Array.from({ length: FILES }, (_, at) => [pathOf(at), `export const n${at} = ${at};\n`] as const);
  repo.commit("files", Object.fromEntries(texts));
  const ua = (...args: string[]) => start(process.execPath, [cli, ...args], { cwd: repo.dir, env: repo.env });
  const done = await Promise.all(
    texts.flatMap(([path], at) => [
      ua("registry", "update-summaries", updateFile(repo, { [path]: `About ${at}.` }), "--json"),
      ua("registry", "verify", "--json", ...(at % 2 === 0 ? ["--rehash"] : [])),
    ]),
  );
  for (const { code, stderr } of done) assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const told = list(repo).filter(({ summary }) => summary !== null);
  assert.deepEqual(
    told.map(({ path, summary, summary_state: state }) => [path, summary, state]),
    texts.map(([path], at) => [path, `About ${at}.`, "fresh"]),
  );
  assert.equal(verify(repo).counts.match, FILES + 3);
  assert.equal(repo.ua("verify", "--against-clean", "--exit-code").code, 0);
});

test("questions and commits at once: what is verified at the end is HEAD, and equal to a rebuild", async (t) => {
  const repo = installedRepo(t);
  verify(repo);
  const ua = (...args: string[]) => start(process.execPath, [cli, ...args], { cwd: repo.dir, env: repo.env });
  const questions = Array.from({ length: 6 }, () => ua("registry", "verify", "--json"));
  for (let at = 0; at < 6; at++) repo.commit(`commit ${at}`, { [pathOf(at)]: `export const n = ${at};\n` });
  for (const { code, stderr } of await Promise.all(questions))
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.equal(verify(repo).last_verified_sha, repo.head());
  assert.equal(repo.ua("verify", "--against-clean", "--exit-code").code, 0);
});

test("killed before the rows are saved, or right after: the next question finishes, and claims nothing before", (t) => {
  const repo = unwatchedRepo(t);
  const before = verify(repo).last_verified_sha;
  repo.commit("task", { "src/b.ts": INTERFACE });
  const killed = (fault: string, ...args: string[]) => {
    const faulty = repo.at(repo.dir);
    faulty.env.UA_HOOKS_FAULT = fault;
    const { code } = faulty.ua(...args);
    delete faulty.env.UA_HOOKS_FAULT;
    return code;
  };
  assert.notEqual(killed("registry.save:kill", "registry", "verify"), 0);
  assert.deepEqual(verdictsIn(verify(repo)), ["src/b.ts mismatch"], "as if nobody had asked");
  assert.notEqual(before, repo.head());

  repo.commit("another", { "src/b.ts": BODY });
  const input = updateFile(repo, { "src/b.ts": "Adds to itself.", "src/a.ts": "Adds." });
  assert.notEqual(killed("registry.summaries:kill", "registry", "update-summaries", input), 0);
  assert.ok(
    list(repo).every(({ summary }) => summary === null),
    "all or nothing",
  );
  repo.commit("a third", { "src/c.ts": "export const c = 1;\n" });
  assert.notEqual(killed("registry.saved:kill", "registry", "update-summaries", input), 0);
  assert.equal(show(repo, "src/b.ts").summary, "Adds to itself.");
  assert.equal(repo.ua("verify", "--against-clean", "--exit-code").code, 0);
});

test("hooks update a registry that is in use, and leave the verdicts to the next question", (t) => {
  const repo = installedRepo(t);
  const sha = () => repo.uaJson<{ last_verified_sha: string }>("registry", "ls").last_verified_sha;
  repo.commit("nobody has asked", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(verify(repo).action, "bootstrapped");
  tell(repo, { "src/b.ts": "Doubles." });
  repo.commit("asked", { "src/b.ts": INTERFACE });
  assert.equal(sha(), repo.head(), "a list tells no verdicts, and takes none away");
  const next = verify(repo);
  assert.deepEqual([next.action, next.compared], ["trusted", 0], "the hook has done it");
  assert.deepEqual(verdictsIn(next), ["src/b.ts mismatch"], "and this is what it found");
  assert.equal(next.verdicts[0]?.summary_state, "stale");
  assert.deepEqual(verdictsIn(verify(repo)), [], "told once");
  assert.equal(sha(), repo.head());
  repo.git("reset", "-q", "--hard", "HEAD~1");
  assert.equal(verify(repo).action, "verified", "reset fires no hook; the read proves it");
});
