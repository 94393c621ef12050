import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { test } from "node:test";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { isSource } from "../../src/fingerprint/languages.js";
import { createIgnoreFilter } from "../../src/repository/rules.js";
import { cli, makeRepo } from "../support/repo.js";
import { type SeedAction, seedAction, seedLevel } from "../support/seed-rule.js";

/** UA_HOOKS_CLONES=<folder>:<folder>… compares the last 150 commits of real repositories as well, and prints what differs. */
const CLONES = (process.env.UA_HOOKS_CLONES ?? "").split(":").filter(Boolean);

interface Commit {
  commit: string;
  subject: string;
  action: SeedAction;
  fileChanges: { filePath: string; changeLevel: string; drift: string; details: string[] }[];
}

/** Where the two part: our kinds of details beyond the rule, files that only the rule lists, and other actions. */
interface Comparison {
  files: number;
  commits: number;
  beyond: Map<string, number>;
  missed: string[];
  actions: string[];
  /** Commits by action. */
  decided: Map<SeedAction, number>;
}

/** Of a merge what it brought to its first parent. */
const WALKED = ["--no-renames", "-r", "-z", "--root", "--no-commit-id"];

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the seed's rule, written as its document has it
async function compareWithSeed(cwd: string, commits: readonly Commit[]): Promise<Comparison> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd, maxBuffer: 1 << 28 });
  const ignored = createIgnoreFilter(cwd);
  const counts = (path: string) => isSource(path) && !ignored.isIgnored(path);
  const fingerprint = async (path: string, oid: string) => fingerprintText(path, git("cat-file", "blob", oid));
  const found: Comparison = {
    ...{ files: 0, commits: commits.length, missed: [], actions: [] },
    ...{ beyond: new Map(), decided: new Map() },
  };
  for (const { commit, subject, action, fileChanges } of commits) {
    const ours = new Map(fileChanges.map((one) => [one.filePath, one]));
    const changes = { added: [] as string[], deleted: [] as string[], structural: [] as string[] };
    let hasRename = false;
    const parent = git("rev-list", "--parents", "-1", commit).toString().trim().split(" ")[1];
    const fields = git("diff-tree", ...WALKED, ...(parent === undefined ? [] : [parent]), commit)
      .toString()
      .split("\0");
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [oldMode = "", mode = "", before = "", after = ""] = (fields[at] ?? "").slice(1).split(" ");
      const path = fields[at + 1] ?? "";
      if (!counts(path)) continue;
      const [was, is] = [/^100/.test(oldMode), /^100/.test(mode)];
      const verdict = ours.get(path);
      if (was !== is) {
        hasRename ||= verdict?.drift !== (is ? "new" : "gone");
        if (was) changes.deleted.push(path);
        else changes.added.push(path);
        continue;
      }
      if (!was || before === after) continue;
      found.files++;
      const level = seedLevel(await fingerprint(path, before), await fingerprint(path, after));
      const own = verdict?.changeLevel ?? "NONE";
      if (own === "STRUCTURAL") changes.structural.push(path);
      const isStructural = level === "STRUCTURAL";
      if (isStructural && own !== "STRUCTURAL") found.missed.push(`${commit.slice(0, 10)} ${path}: ${verdict?.drift}`);
      if (isStructural || own !== "STRUCTURAL") continue;
      const kinds = new Set(verdict?.details.map((detail) => detail.replace(/:.*/s, "").replace(/ \(.*/s, "")));
      const kind = [...kinds].sort().join(" + ");
      found.beyond.set(kind, (found.beyond.get(kind) ?? 0) + 1);
    }
    if (hasRename) continue; // which the rule takes for a loss and a gain
    const tree = parent === undefined ? "" : git("ls-tree", "-r", "-z", "--name-only", parent).toString();
    const known = new Set(tree.split("\0").filter((path) => path !== "" && counts(path)));
    const wanted = seedAction(changes, known);
    found.decided.set(wanted, (found.decided.get(wanted) ?? 0) + 1);
    if (wanted !== action) found.actions.push(`${commit.slice(0, 10)} ${subject}: ${action}, by the rule ${wanted}`);
  }
  return found;
}

const code = (at: number, inside = "return x;") => `export function f${at}(x: number) {\n  ${inside}\n}\n`;
const files = (first: number, count: number, folder = "src") =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${folder}/f${first + at}.ts`, code(first + at)]));

const CLASS = "export class Box {\n  size = 1;\n  put(x: number): void {\n    this.size += x;\n  }\n}\n";

/** Every kind of change that the rule knows, each a commit, with what has to be done. */
const HISTORY: [what: string, change: Record<string, string | null>, action: SeedAction][] = [
  ["a comment", { "src/f1.ts": `// one\n${code(1)}` }, "SKIP"],
  ["a body", { "src/f1.ts": code(1, "return x + 1;") }, "SKIP"],
  ["a body that throws", { "src/f1.ts": code(1, "if (x < 0) throw new Error(); return x;") }, "SKIP"],
  ["a parameter", { "src/f2.ts": code(2).replace("x: number", "x: number, y = 0") }, "PARTIAL_UPDATE"],
  ["a return type", { "src/f3.ts": code(3).replace(") {", "): number {") }, "PARTIAL_UPDATE"],
  ["no export", { "src/f4.ts": code(4).replace("export ", "") }, "PARTIAL_UPDATE"],
  ["a new function", { "src/f5.ts": code(5) + code(55) }, "PARTIAL_UPDATE"],
  ["a function that went", { "src/f5.ts": code(5) }, "PARTIAL_UPDATE"],
  ["another name", { "src/f5.ts": code(555) }, "PARTIAL_UPDATE"],
  ["an import", { "src/f6.ts": `import { f1 } from "./f1.js";\n${code(6)}` }, "PARTIAL_UPDATE"],
  ["a name of an import", { "src/f6.ts": `import { f1, f9 } from "./f1.js";\n${code(6)}` }, "PARTIAL_UPDATE"],
  ["an export", { "src/f6.ts": `${code(6)}export const most = 1;\n` }, "PARTIAL_UPDATE"],
  ["the value of an export", { "src/f6.ts": `${code(6)}export const most = 2;\n` }, "SKIP"],
  ["a class", { "src/f7.ts": code(7) + CLASS }, "PARTIAL_UPDATE"],
  ["a property", { "src/f7.ts": code(7) + CLASS.replace("size = 1;", "size = 1;\n  most = 2;") }, "PARTIAL_UPDATE"],
  ["a method", { "src/f7.ts": code(7) + CLASS.replace("  size", "  drop() {}\n  size") }, "PARTIAL_UPDATE"],
  ["no class any more", { "src/f7.ts": code(7) }, "PARTIAL_UPDATE"],
  ["a text", { "README.md": "words\n" }, "SKIP"],
  ["a new file", { "src/new.ts": code(100) }, "PARTIAL_UPDATE"],
  ["a file that went", { "src/new.ts": null }, "PARTIAL_UPDATE"],
  ["a new directory", { "web/page.ts": code(200) }, "ARCHITECTURE_UPDATE"],
  ["no directory any more", { "web/page.ts": null }, "ARCHITECTURE_UPDATE"],
  ["a directory in another", { "src/deep/in.ts": code(300) }, "PARTIAL_UPDATE"],
  ["ten files", files(1000, 10), "PARTIAL_UPDATE"],
  ["eleven files", files(2000, 11), "ARCHITECTURE_UPDATE"],
  ["thirty files", files(3000, 30), "ARCHITECTURE_UPDATE"],
  ["thirty-one files", files(4000, 31), "FULL_UPDATE"],
  [
    "many comments",
    Object.fromEntries(Object.keys(files(4000, 31)).map((path, at) => [path, `// c\n${code(4000 + at)}`])),
    "SKIP",
  ],
];

test("the default decides as the rule of the seed does, over a history with every kind of change", async (t) => {
  const repo = makeRepo(t);
  repo.commit("start", files(1, 40));
  for (const [what, change] of HISTORY) {
    const written = Object.entries(change).filter((one): one is [string, string] => one[1] !== null);
    const gone = Object.keys(change).filter((path) => change[path] === null);
    if (gone.length > 0) repo.git("rm", "-q", ...gone);
    repo.commit(what, Object.fromEntries(written));
  }
  const last = String(HISTORY.length);
  const { commits } = repo.uaJson<{ commits: Commit[] }>("replay", "--files", "--last", last);
  assert.deepEqual(
    commits.map(({ subject, action }) => [subject, action]),
    HISTORY.map(([what, , action]) => [what, action]),
  );
  const { beyond, missed, actions, files: compared } = await compareWithSeed(repo.dir, commits);
  assert.deepEqual({ beyond: [...beyond], missed, actions }, { beyond: [], missed: [], actions: [] });
  assert.ok(compared > 40, `${compared} files`);
});

for (const clone of CLONES) {
  test(`the same over the last 150 commits of ${basename(clone)}`, async (t) => {
    const args = [cli, "replay", "--files", "--last", "150", "--json"];
    const output = execFileSync(process.execPath, args, { cwd: clone, encoding: "utf8", maxBuffer: 1 << 30 });
    const { commits } = JSON.parse(output) as { commits: Commit[] };
    const found = await compareWithSeed(clone, commits);
    t.diagnostic(`${found.commits} commits, ${found.files} modified files, ${JSON.stringify([...found.decided])}`);
    for (const [kind, count] of found.beyond) t.diagnostic(`asked beyond the rule, ${count}: ${kind}`);
    for (const one of found.actions) t.diagnostic(one);
    for (const one of found.missed) t.diagnostic(`missed: ${one}`);
    assert.deepEqual(found.missed, []);
    // Where we list more files, the action may be a larger one.
    if (found.beyond.size === 0) assert.deepEqual(found.actions, []);
  });
}
