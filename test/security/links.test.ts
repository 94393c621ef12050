import assert from "node:assert/strict";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { EVENTS } from "../../src/git/hook-events.js";
import { analysisOf } from "../support/agent.js";
import { dist, installedRepo, makeRepo, type Repo, type Result, SMALL_PROJECT } from "../support/repo.js";
import { lines, user } from "../support/transcript.js";
import { snapshot } from "../support/tree.js";

/** A command that writes into the work tree, and every file there that it creates, changes or removes. */
interface Writer {
  /** Without ua-hooks: this is what installs it. */
  isFirst?: boolean;
  /** What the project has before. */
  files?: Record<string, string>;
  before?(repo: Repo): void;
  run(repo: Repo): Result;
  writes: readonly string[];
  /** Links in the place of which there is nothing of ours to change, and the exit code then; `>` leads to .git/hooks. */
  leaves?: Record<string, number>;
  /** git and agents hear nothing of their hooks. */
  isSilent?: boolean;
}

const ARTEFACTS = [
  ".understand-anything/fingerprints.json",
  ".understand-anything/knowledge-graph.json",
  ".understand-anything/meta.json",
];

const MARKER = ".understand-anything/pending-update.json";
const inFolder = (folder: string) => EVENTS.map((event) => `${folder}/${event}`);
const left = (paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, 0]));
const ALL_AGENTS = "claude,codex,cursor,gemini,copilot,opencode";
const SKILLS = [".agents/skills/ua-hooks-update/SKILL.md", ".claude/skills/ua-hooks-update/SKILL.md"];
const OTHER_CLIENTS = [
  ".codex/hooks.json",
  ".cursor/hooks.json",
  ".gemini/settings.json",
  ".github/hooks/ua-hooks.json",
];
const LOCAL = [
  ".agents/ua-hooks/opencode.js",
  ".claude/settings.local.json",
  "opencode.jsonc",
  ...OTHER_CLIENTS,
  ...SKILLS,
];
const SHARED = [
  ".agents/ua-hooks/opencode.js",
  ".claude/settings.json",
  "AGENTS.md",
  "opencode.json",
  ...OTHER_CLIENTS,
  ...SKILLS,
];
const SESSION = { ".claude/sessions/.active-session": "s\n", ".claude/sessions/s/context.md": "# Context\n" };
const HUSKY = { ".husky/pre-commit": "true\n" };
const PRE_COMMIT = {
  ".pre-commit-config.yaml": "default_install_hook_types: [post-commit]\nrepos:\n  - repo: local\n    hooks: []\n",
};
const SIMPLE = { ".simple-git-hooks.json": '{ "pre-commit": "true" }\n' };
const LEFTHOOK = { "lefthook.yml": "post-commit:\n  jobs:\n    - run: true\n" };

const useLefthook = (repo: Repo) =>
  writeFileSync(join(repo.dir, ".git/hooks/post-commit"), "#!/bin/sh\ncall_lefthook\n", { mode: 0o755 });
const installs =
  (...args: string[]) =>
  (repo: Repo) => {
    const { code, stderr } = repo.ua("install", ...args);
    assert.equal(code, 0, stderr);
  };
const purge = (repo: Repo) => repo.ua("uninstall", "--purge", "--yes");
const changed = { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" };
const change = (repo: Repo) => {
  repo.write(changed);
  return repo.tryGit("commit", "-qam", "change");
};
const track = (repo: Repo) => {
  installs("--mode", "inline")(repo);
  repo.git("add", "-f", ".understand-anything");
  repo.git("commit", "-qm", "track");
  change(repo);
};
const analysis = (repo: Repo) => {
  writeFileSync(join(repo.base, "result.json"), JSON.stringify(analysisOf(repo, ["src/b.ts"], "words")));
  return join(repo.base, "result.json");
};
const prompt = (repo: Repo) => {
  const input = JSON.stringify({ hook_event_name: "UserPromptSubmit", session_id: "s", cwd: repo.dir });
  writeFileSync(join(repo.base, "input.json"), input);
  const command = `!node ${join(dist, "agent.cjs")} claude <${join(repo.base, "input.json")}`;
  return repo.tryGit("-c", `alias.prompt=${command}`, "prompt");
};

const WRITERS: Record<string, Writer> = {
  install: { isFirst: true, run: (repo) => repo.ua("install"), writes: ARTEFACTS },
  "install, with .ua": {
    isFirst: true,
    files: { ".ua/.understandignore": "docs\n" },
    run: (repo) => repo.ua("install"),
    writes: ARTEFACTS.map((path) => path.replace(".understand-anything", ".ua")),
  },
  "install, with husky": { files: HUSKY, run: (repo) => repo.ua("install"), writes: inFolder(".husky") },
  "install, with husky in core.hooksPath": {
    files: { ...HUSKY, ".husky/_/h": "" },
    before: (repo) => repo.git("config", "core.hooksPath", ".husky/_"),
    run: (repo) => repo.ua("install"),
    writes: inFolder(".husky"),
  },
  "install, with core.hooksPath": {
    files: { ".githooks/pre-commit": "true\n" },
    before: (repo) => repo.git("config", "core.hooksPath", ".githooks"),
    run: (repo) => repo.ua("install"),
    writes: inFolder(".githooks"),
  },
  "install, with lefthook": {
    files: LEFTHOOK,
    before: useLefthook,
    run: (repo) => repo.ua("install"),
    writes: ["lefthook-local.yml"],
  },
  "install, with lefthook in .config": {
    files: { ".config/lefthook.yml": LEFTHOOK["lefthook.yml"] },
    before: useLefthook,
    run: (repo) => repo.ua("install"),
    writes: [".config/lefthook-local.yml"],
    leaves: { ".config>": 0 },
  },
  "install, with pre-commit": {
    files: PRE_COMMIT,
    run: (repo) => repo.ua("install", "--yes"),
    writes: [".pre-commit-config.yaml"],
    leaves: { ".pre-commit-config.yaml": 0 },
  },
  "install, with simple-git-hooks": {
    files: SIMPLE,
    run: (repo) => repo.ua("install", "--yes"),
    writes: [".simple-git-hooks.json"],
    leaves: { ".simple-git-hooks.json": 0 },
  },
  "install --agent": { run: (repo) => repo.ua("install", "--agent", ALL_AGENTS), writes: LOCAL },
  "install --agent --shared": {
    run: (repo) => repo.ua("install", "--agent", ALL_AGENTS, "--shared", "--yes"),
    writes: SHARED,
  },
  "install --agent --shared, with GEMINI.md": {
    files: { "GEMINI.md": "# Rules\n" },
    before: installs("--agent", "gemini"),
    run: (repo) => repo.ua("install", "--agent", "gemini", "--shared", "--yes"),
    writes: ["AGENTS.md", "GEMINI.md"],
  },
  "install --team": {
    run: (repo) => repo.ua("install", "--team", "--yes"),
    writes: [".gitattributes"],
    leaves: { ".gitattributes": 0 }, // git reads no such link: the attributes go into .git/info
  },
  "doctor --fix": {
    files: HUSKY,
    before: (repo) => {
      installs()(repo);
      for (const path of [...inFolder(".husky"), ...inFolder(".git/hooks")]) rmSync(join(repo.dir, path));
    },
    run: (repo) => repo.ua("doctor", "--fix"),
    writes: inFolder(".husky"),
  },
  "uninstall --purge": { run: purge, writes: ARTEFACTS, leaves: { ".understand-anything>": 0 } },
  "uninstall --purge, something pending": {
    before: change,
    run: purge,
    writes: [...ARTEFACTS, MARKER],
    leaves: { ".understand-anything>": 0 },
  },
  "uninstall, with husky": {
    files: HUSKY,
    before: installs(),
    run: (repo) => repo.ua("uninstall"),
    writes: inFolder(".husky"),
    leaves: left(inFolder(".husky")),
  },
  "uninstall, with core.hooksPath": {
    files: { ".githooks/pre-commit": "true\n" },
    before: (repo) => {
      repo.git("config", "core.hooksPath", ".githooks");
      installs()(repo);
    },
    run: (repo) => repo.ua("uninstall"),
    writes: inFolder(".githooks"),
    leaves: left(inFolder(".githooks")),
  },
  "uninstall, with lefthook": {
    files: LEFTHOOK,
    before: (repo) => {
      useLefthook(repo);
      installs()(repo);
    },
    run: (repo) => repo.ua("uninstall"),
    writes: ["lefthook-local.yml"],
    leaves: { "lefthook-local.yml": 0 },
  },
  "uninstall, with agents": {
    before: installs("--agent", ALL_AGENTS),
    run: (repo) => repo.ua("uninstall"),
    writes: LOCAL,
  },
  "uninstall, with shared settings": {
    before: installs("--agent", ALL_AGENTS, "--shared", "--yes"),
    run: (repo) => repo.ua("uninstall"),
    writes: SHARED,
  },
  "uninstall, of a team": {
    before: installs("--team", "--yes"),
    run: (repo) => repo.ua("uninstall"),
    writes: [".gitattributes"],
  },
  "a commit": { run: change, writes: [MARKER], isSilent: true },
  "a commit, inline": { before: installs("--mode", "inline"), run: change, writes: ARTEFACTS, isSilent: true },
  status: {
    run: (repo) => {
      repo.write(changed);
      repo.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "unseen");
      return repo.ua("status");
    },
    writes: [MARKER],
  },
  claim: { before: change, run: (repo) => repo.ua("claim"), writes: [MARKER] },
  release: {
    before: (repo) => {
      change(repo);
      repo.ua("claim");
    },
    run: (repo) => repo.ua("release"),
    writes: [MARKER],
  },
  ack: { before: change, run: (repo) => repo.ua("ack"), writes: [...ARTEFACTS, MARKER] },
  apply: { before: change, run: (repo) => repo.ua("apply", analysis(repo)), writes: [...ARTEFACTS, MARKER] },
  run: { before: change, run: (repo) => repo.ua("run"), writes: [...ARTEFACTS, MARKER] },
  export: { before: track, run: (repo) => repo.ua("export"), writes: ARTEFACTS },
  "a commit in a linked worktree": {
    before: (repo) => repo.git("worktree", "add", "-q", join(repo.base, "linked"), "-b", "linked"),
    run: (repo) => change(repo.at(join(repo.base, "linked"))),
    writes: [".understand-anything/pending-update.linked.json"],
    isSilent: true,
  },
  "docs --fix": {
    files: { "guide/start.md": "Read [old](../src/old.ts).\n", "src/old.ts": "export const old = 1;\n" },
    before: (repo) => {
      repo.git("mv", "src/old.ts", "src/new.ts");
      repo.git("commit", "-qm", "rename");
      repo.write({ ".ua-hooksrc.json": '{ "docs": { "include": ["guide/*.md"] } }' });
    },
    run: (repo) => repo.ua("docs", "--fix", "--yes"),
    writes: ["guide/start.md"],
    // A document behind a link is not read.
    leaves: { guide: 0, "guide>": 0, "guide/start.md": 0 },
  },
  "install --ci": {
    run: (repo) => repo.ua("install", "--ci", "github", "--yes"),
    writes: [".github/workflows/ua-hooks.yml"],
  },
  report: { run: (repo) => repo.ua("report"), writes: ["ua-hooks-report.html"] },
  "report --out": {
    files: { "out/deep/file": "" },
    run: (repo) => repo.ua("report", "--out", "out/deep/report.html"),
    writes: ["out/deep/report.html"],
  },
  "export --descriptions": {
    files: { "out/deep/file": "" },
    run: (repo) => repo.ua("export", "--descriptions", "out/deep/descriptions.jsonl"),
    writes: ["out/deep/descriptions.jsonl"],
  },
  "record export": {
    files: { "out/deep/file": "" },
    run: (repo) => repo.ua("record", "export", "out/deep/records.jsonl"),
    writes: ["out/deep/records.jsonl"],
  },
  "context add": {
    files: SESSION,
    run: (repo) => repo.ua("context", "add", "Use SQLite", "--kind", "Decision"),
    writes: [".claude/sessions/s/context.md"],
    leaves: { ".claude>": 2, ".claude/sessions>": 2 }, // no session is named there
  },
  "context update": {
    files: SESSION,
    run: (repo) => {
      const transcript = join(repo.base, "transcript.jsonl");
      writeFileSync(transcript, lines(user("10:00", "We decided to keep it small.")));
      return repo.ua("context", "update", "--transcript", transcript);
    },
    writes: [".claude/sessions/s/context.md"],
    leaves: { ".claude>": 2, ".claude/sessions>": 2 }, // no session is named there
  },
  "prompts to an agent": {
    files: SESSION,
    before: prompt,
    run: prompt,
    writes: [".claude/sessions/s/.pending-context-update"],
    isSilent: true,
  },
  "merge-driver": {
    files: { "out/base": "{}", "out/ours": "{}", "out/theirs": "{}" },
    before: (repo) => {
      const meta = repo.read(".understand-anything/meta.json");
      const later = JSON.stringify({ ...JSON.parse(meta), lastAnalyzedAt: "2100-01-01T00:00:00.000Z" });
      repo.write({ "out/base": meta, "out/ours": meta, "out/theirs": later });
    },
    run: (repo) => repo.ua("merge-driver", "out/base", "out/ours", "out/theirs", "meta.json"),
    writes: ["out/ours"],
  },
};

/** Command lines that leave the work tree as it is. Every command is among these or in WRITERS. */
const READERS: readonly string[][] = [
  ["status"],
  ["doctor"],
  ["pending"],
  ["import", "descriptions.jsonl"],
  ["share", "status"],
  ["record", "add", "It doubles", "--type", "decision", "--subject", "src/b.ts"],
  ["record", "list"],
  ["record", "relevant", "src/b.ts"],
  ["record", "refresh"],
  ["record", "vacuum"],
  ["record", "export"],
  ["context", "show"],
  ["registry", "ls"],
  ["registry", "show", "src/b.ts"],
  ["registry", "verify"],
  ["registry", "stale"],
  ["mcp"],
  ["check"],
  ["why", "src/b.ts"],
  ["verify"],
  ["verify", "--against-clean"],
  ["replay"],
  ["report", "--json"],
  ["install", "--dry-run", "--agent", ALL_AGENTS],
  ["log"],
  ["pause"],
  ["resume"],
  ["trust"],
  ["agent", "claude"],
  ["completions", "bash"],
  ["hook", "post-commit"],
];

const ofWorkTree = (path: string) => path === ".git";
const workTree = (repo: Repo) => snapshot(repo.dir, ofWorkTree);

function differing(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => !path.endsWith("/") && before[path] !== after[path]).sort();
}

function begin(t: TestContext, { isFirst = false, files = {}, before }: Writer): Repo {
  const repo = isFirst ? makeRepo(t) : installedRepo(t);
  if (isFirst) repo.write(SMALL_PROJECT);
  if (isFirst || Object.keys(files).length > 0) repo.commit("begin", files);
  before?.(repo);
  return repo;
}

const commands = [
  ...readFileSync(join(dist, "../../../src/cli/main.ts"), "utf8").matchAll(/^ {2}"?([a-z-]+)"?: async/gm),
].map(([, name = ""]) => name);

test("every command is known to write the files that are listed here, or none", () => {
  const known = new Set([
    ...Object.keys(WRITERS).map((line) => line.split(/[ ,]/)[0]),
    ...READERS.map(([name]) => name),
  ]);
  assert.deepEqual(
    commands.filter((name) => !known.has(name)),
    [],
  );
});

for (const [line, writer] of Object.entries(WRITERS)) {
  test(`${line}: writes these files of the work tree, and no other`, (t) => {
    const repo = begin(t, writer);
    const before = workTree(repo);
    const { stderr } = writer.run(repo);
    const own = Object.keys(changed);
    const written = differing(before, workTree(repo)).filter((path) => !own.includes(path));
    assert.deepEqual(written, writer.writes.toSorted(), stderr);
  });
}

/** Puts a link in the place of a path; what was there is where the link leads, or beside it. */
function linkAt(repo: Repo, path: string, { isFolder, target }: { isFolder: boolean; target: string }): void {
  const place = join(repo.dir, path);
  const aside = target.endsWith(".git/hooks") ? join(repo.base, "aside") : target;
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) renameSync(place, aside);
  else if (isFolder) mkdirSync(aside);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(relative(dirname(place), target), place);
}

const REFUSED =
  /is a symbolic link: nothing in a work tree is written through one|is a symbolic link that leads out of/;

/** Each path that is written, and each of its parent folders. */
function placesOf({ writes }: Writer): { path: string; isFolder: boolean }[] {
  const places = new Map<string, boolean>();
  for (const file of writes) {
    places.set(file, false);
    for (let dir = dirname(file); dir !== "."; dir = dirname(dir)) places.set(dir, true);
  }
  return [...places].map(([path, isFolder]) => ({ path, isFolder }));
}

/** The short form tries each place once for each command, whatever its options. */
const tried = new Set<string>();
const isTried = (place: string) => process.env.UA_HOOKS_LONG !== "1" && (tried.has(place) || !tried.add(place));

for (const [line, writer] of Object.entries(WRITERS)) {
  for (const { path, isFolder } of placesOf(writer)) {
    for (const goal of isFolder ? ["a stranger's folder", ".git/hooks"] : ["a stranger's file"]) {
      if (isTried(`${line.split(/[ ,]/)[0]} ${path} ${goal}`)) continue;
      test(`${line}: ${path} as a link to ${goal}: nothing is written there`, (t) => {
        const repo = begin(t, writer);
        const stranger = join(repo.base, "stranger");
        mkdirSync(stranger);
        const hooks = join(repo.dir, ".git/hooks");
        linkAt(repo, path, { isFolder, target: goal === ".git/hooks" ? hooks : join(stranger, "its") });
        const [theirs, own] = [snapshot(stranger), readdirSync(hooks)];
        const { code, stdout, stderr } = writer.run(repo);
        assert.deepEqual(snapshot(stranger), theirs, stderr);
        const added = readdirSync(hooks).filter((name) => !own.includes(name));
        assert.deepEqual(
          added.filter((name) => !EVENTS.some((event) => event === name)),
          [],
        );
        assert.ok(lstatSync(join(repo.dir, path)).isSymbolicLink(), "the link stays");
        if (writer.isSilent === true) {
          assert.deepEqual([code, stdout, stderr], [0, "", ""]);
          return;
        }
        const expected = writer.leaves?.[goal === ".git/hooks" ? `${path}>` : path] ?? 5;
        assert.equal(code, expected, stdout + stderr);
        if (expected === 5) assert.match(stderr, REFUSED);
        if (expected === 5) assert.ok(stderr.includes(join(repo.dir, path)), stderr);
      });
    }
  }
}

for (const line of READERS) {
  test(`${line.join(" ")}: leaves the work tree as it is`, (t) => {
    const repo = installedRepo(t);
    repo.commit("begin", SESSION);
    const exported = join(repo.base, "descriptions.jsonl");
    assert.equal(repo.ua("export", "--descriptions", exported).code, 0);
    const before = workTree(repo);
    const result = repo.ua(...line.map((word) => (word === "descriptions.jsonl" ? exported : word)));
    assert.ok([0, 1, 2].includes(result.code), result.stderr); // 1: a finding; 2: nothing to trust
    assert.deepEqual(workTree(repo), before);
  });
}

test("the refusal of a folder that is a link names a way out that works: skills that several clients share", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { ...SMALL_PROJECT, ".agents/skills/review/SKILL.md": "# Review\n" });
  const folder = join(repo.dir, ".claude/skills");
  mkdirSync(dirname(folder));
  symlinkSync("../.agents/skills", folder);
  const refused = repo.ua("install", "--agent", "claude", "--yes");
  assert.equal(refused.code, 5, refused.stderr);
  assert.match(
    refused.stderr,
    /make it a folder, in which each entry that is needed is a link of its own; or leave out/,
  );
  assert.equal(repo.ua("install", "--agent", "codex", "--yes").code, 0);
  assert.deepEqual(
    readdirSync(folder).sort(),
    ["review", "ua-hooks-update"],
    "Claude Code finds the skill by the link",
  );

  rmSync(folder);
  mkdirSync(folder);
  symlinkSync("../../.agents/skills/review", join(folder, "review"));
  assert.equal(repo.ua("install", "--agent", "claude", "--yes").code, 0);
  assert.deepEqual(readdirSync(folder).sort(), ["review", "ua-hooks-update"]);
  assert.equal(repo.ua("uninstall", "--yes").code, 0);
  assert.deepEqual(readdirSync(folder), ["review"]);
});
