import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type AnalysisPlan, analysisPlan, analyzeWithCommand, trustedCommand } from "../../src/analyzers/command.js";
import { revokeTrust, trustCommand, trustState } from "../../src/analyzers/trust.js";
import { openState } from "../../src/store/state.js";
import { tempDir } from "../support/repo.js";

const GOOD = `JSON.stringify({ nodes: [{ id: "file:a.ts", type: "file", filePath: "a.ts" }], edges: [] })`;

/** A command that is a node script of this text; it finds the plan in \`plan\` and how often it ran in \`run\`. */
function aCommand(t: TestContext, body: string): { command: string[]; root: string; plans: () => AnalysisPlan[] } {
  const root = tempDir(t);
  const seen = join(root, "plans");
  const script = join(root, "analyze.cjs");
  const head = `const fs = require("node:fs"); const text = fs.readFileSync(0, "utf8"); const plan = JSON.parse(text);
    fs.appendFileSync(${JSON.stringify(seen)}, text + "\\n");
    const run = fs.readFileSync(${JSON.stringify(seen)}, "utf8").split("\\n").length - 1;\n`;
  writeFileSync(script, head + body);
  const plans = () => {
    const lines = existsSync(seen) ? readFileSync(seen, "utf8").trimEnd().split("\n") : [];
    return lines.map((line) => JSON.parse(line) as AnalysisPlan);
  };
  return { command: [process.execPath, script], root, plans };
}

const marker = {
  ...{ action: "PARTIAL_UPDATE", reason: "1 file", filesToReanalyze: ["a.ts"], deletedFiles: [], renamedFiles: [] },
  ...{ rerunArchitecture: false, rerunTour: false, fileChanges: [], dependents: [] },
};
const planFor = (root: string) => analysisPlan(marker, { root, head: "c0ffee", outputLanguage: "German" });

const options = { timeoutMs: 20_000 };

test("command analyzer: the plan on stdin, the result from stdout, in the project's root", async (t) => {
  const { command, root, plans } = aCommand(
    t,
    `if (process.cwd() !== plan.root) throw 1; process.stdout.write(${GOOD});`,
  );
  const result = await analyzeWithCommand(command, planFor(root), options);
  assert.deepEqual(result.files, ["a.ts"]);
  assert.deepEqual(plans(), [planFor(root)]);
});

test("command analyzer: git's variables of a hook do not reach it, and no shell reads its arguments", async (t) => {
  const body = `if (process.env.GIT_DIR !== undefined || process.argv[2] !== "$(id) *") process.exit(3);
    process.stdout.write(${GOOD});`;
  const { command, root } = aCommand(t, body);
  process.env.GIT_DIR = "/nowhere";
  t.after(() => delete process.env.GIT_DIR);
  await analyzeWithCommand([...command, "$(id) *"], planFor(root), { ...options, retries: 0 });
});

test("command analyzer: a failure and an answer of the wrong shape are passed to the next attempt", async (t) => {
  const body = `if (run === 1) { console.error("no luck"); process.exit(7); }
    process.stdout.write(run === 2 ? '{"nodes":[{"id":"x"}],"edges":[]}' : ${GOOD});`;
  const { command, root, plans } = aCommand(t, body);
  await analyzeWithCommand(command, planFor(root), options);
  const errors = plans().map(({ previousError }) => previousError ?? "");
  assert.equal(errors.length, 3);
  assert.equal(errors[0], "");
  assert.match(errors[1] ?? "", /failed: .*exit code 7[\s\S]*no luck/);
  assert.match(errors[2] ?? "", /Node 0 \(x\) has no "type"/);
});

test("command analyzer: three tries, then the last reason", async (t) => {
  const { command, root, plans } = aCommand(t, `process.stdout.write("nonsense " + run);`);
  const failed = analyzeWithCommand(command, planFor(root), options);
  await assert.rejects(failed, { name: "UaError", message: /not JSON[\s\S]*tried 3 times/ });
  assert.equal(plans().length, 3);
});

test("command analyzer: the time limit ends it with all that it started", async (t) => {
  const body = `require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"],
    { stdio: "inherit" }); process.on("SIGTERM", () => {}); setTimeout(() => {}, 60000);`;
  const { command, root } = aCommand(t, body);
  const failed = analyzeWithCommand(command, planFor(root), { timeoutMs: 300, retries: 0 });
  await assert.rejects(failed, { message: /longer than 300 ms/ });
});

test("command analyzer: endless output and a program that is not there are errors too", async (t) => {
  const { command, root } = aCommand(t, `const mb = "x".repeat(1 << 20); for (;;) fs.writeSync(1, mb);`);
  const flood = analyzeWithCommand(command, planFor(root), { ...options, retries: 0 });
  await assert.rejects(flood, { message: /printed more than 64 MB/ });
  const missing = analyzeWithCommand([join(root, "missing")], planFor(root), { ...options, retries: 0 });
  await assert.rejects(missing, { message: /missing failed: .*ENOENT/ });
});

test("trust: a command runs only once it was trusted, as it was, script and all", async (t) => {
  const root = tempDir(t);
  const stateDir = join(root, "state");
  const where = { root, mainPath: root, commonDir: join(root, ".git"), worktree: { path: root }, stateDir };
  const db = await openState(stateDir);
  t.after(() => db.close());
  writeFileSync(join(root, "analyze.sh"), "one\n");
  const config = { analyzer: { command: ["sh", "analyze.sh", "--fast"] } };
  assert.deepEqual(trustState(db, { analyzer: "structural" }, where), { command: null, trusted: true, scripts: [] });
  assert.throws(() => trustedCommand(db, config, where), /not trusted in this clone/);
  trustCommand(db, config.analyzer.command, where);
  assert.deepEqual(trustState(db, config, where), {
    ...{ command: config.analyzer.command, trusted: true, scripts: ["analyze.sh"] },
  });
  assert.deepEqual(trustedCommand(db, config, where), config.analyzer.command);
  assert.equal(
    trustState(db, { analyzer: { command: ["sh", "analyze.sh"] } }, where).trusted,
    false,
    "other arguments",
  );
  writeFileSync(join(root, "analyze.sh"), "two\n");
  assert.equal(trustState(db, config, where).trusted, false, "a pull changed the script");
  writeFileSync(join(root, "analyze.sh"), "one\n");
  assert.equal(trustState(db, config, where).trusted, true, "and back");
  const linked = tempDir(t);
  const there = { ...where, worktree: { path: linked } };
  writeFileSync(join(linked, "analyze.sh"), "somebody's branch\n");
  assert.equal(trustState(db, config, there).trusted, false, "a linked worktree runs its own script");
  writeFileSync(join(linked, "analyze.sh"), "one\n");
  assert.equal(trustState(db, config, there).trusted, true, "which may be the same");
  const absolute = [join(root, "analyze.sh")];
  trustCommand(db, absolute, where);
  assert.equal(
    trustState(db, { analyzer: { command: absolute } }, there).trusted,
    true,
    "the main root's, from anywhere",
  );
  revokeTrust(db);
  assert.equal(trustState(db, config, where).trusted, false);
});
