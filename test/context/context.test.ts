import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type ProcessId, processOf } from "../../src/platform/process.js";
import { listed } from "../support/records.js";
import { dist, installedRepo, type Repo, until } from "../support/repo.js";
import { agent, line, lines, user } from "../support/transcript.js";

process.env.TZ = "UTC";

interface World {
  repo: Repo;
  transcript: string;
  context(): string;
  marker(): boolean;
  /** A prompt, as Claude Code tells it to its hook; nothing is ever printed. */
  prompt(): void;
  update(): Promise<void>;
}

function world(t: Parameters<typeof installedRepo>[0], session = "harbour"): World {
  const repo = installedRepo(t);
  repo.write({ ".claude/sessions/.active-session": `${session}\n`, [`.claude/sessions/${session}/context.md`]: "" });
  const transcript = join(repo.base, "transcript.jsonl");
  writeFileSync(transcript, "");
  const dir = join(repo.dir, ".claude/sessions", session);
  const file = join(dir, "context.md");
  const hook = { hook_event_name: "UserPromptSubmit", session_id: "s", transcript_path: transcript, cwd: repo.dir };
  return {
    ...{ repo, transcript },
    context: () => readFileSync(file, "utf8"),
    marker: () => existsSync(join(dir, ".pending-context-update")),
    prompt: () => {
      const input = join(repo.base, "input.json");
      writeFileSync(input, JSON.stringify(hook));
      const entry = join(dist, "agent.cjs");
      const said = repo.at(repo.dir).tryGit("-c", `alias.agent=!node ${entry} claude < ${input}`, "agent");
      assert.deepEqual(said, { code: 0, stdout: "", stderr: "" });
    },
    update: async () => {
      const { code, stderr } = repo.ua("context", "update", "--transcript", transcript);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    },
  };
}

/** The sections that the seed shows as an example, after what was there before. */
const EXAMPLE = `## Key Decisions

Nothing yet.

### [2025-11-05 15:42] Context Update

- [15:42] Decision: Implement Living Context system over frequent snapshots | Reasoning: User needs accurate context, not full conversation dumps
- [15:43] Agreed: 1-2s overhead acceptable if not every message
- [15:45] Technical: Dual-threshold architecture (context: 2 interactions, snapshot: 12 interactions) | Rationale: Balance freshness with performance

## Important Discoveries

None.

### [2025-11-05 15:30] Context Update

- [15:30] Discovery: Autosave never worked due to missing .active-session file | Impact: Hooks exit early, no state tracking occurs
- [15:35] Discovery: True parallelism impossible without IPC | Impact: Ruled out Option C (new hook type)

## User Requirements

### [2025-11-05 15:42] Context Update

- [15:42] Requirement: Keep context.md updated continuously | Context: User revisits sessions after days, needs accurate history
- [15:42] Constraint: Must not block every single message | Context: User values responsiveness
`;

test("the seed's example gives its sections and lines; a second run adds nothing", async (t) => {
  const { repo, transcript, update, context } = world(t);
  repo.write({
    ".claude/sessions/harbour/context.md": "## Key Decisions\n\nNothing yet.\n\n## Important Discoveries\n\nNone.\n",
  });
  appendFileSync(
    transcript,
    lines(
      user("15:28", "Why is there no autosave?"),
      agent(
        "15:30",
        "Turns out autosave never worked due to missing .active-session file, so hooks exit early, no state tracking occurs.",
      ),
      user("15:33", "And in parallel?"),
      agent(
        "15:35",
        "I discovered that true parallelism impossible without IPC, which means ruled out Option C (new hook type).",
      ),
    ),
  );
  await update();
  appendFileSync(
    transcript,
    lines(
      user(
        "15:42",
        "Let's go with: implement Living Context system over frequent snapshots because user needs accurate context, not full conversation dumps. " +
          "We need to keep context.md updated continuously, because user revisits sessions after days, needs accurate history. " +
          "It must not block every single message since user values responsiveness.",
      ),
      user("15:43", "Yes, 1-2s overhead acceptable if not every message."),
      agent(
        "15:45",
        "Dual-threshold architecture (context: 2 interactions, snapshot: 12 interactions) in order to balance freshness with performance.",
      ),
    ),
  );
  await update();
  assert.equal(context(), EXAMPLE);
  await update();
  await update();
  assert.equal(context(), EXAMPLE, "idempotent");
});

test("every second prompt leaves a marker, the next one takes it and updates in the background; nothing is printed", async (t) => {
  const { repo, transcript, prompt, marker, context } = world(t);
  appendFileSync(transcript, lines(user("10:00", "We decided to keep it small"), agent("10:01", "Good.")));
  prompt();
  assert.equal(marker(), false);
  prompt();
  assert.equal(marker(), true);
  prompt();
  assert.equal(marker(), false);
  await until("the update is there", () => context().includes("- [10:00] Decision: Keep it small"));
  prompt();
  assert.equal(marker(), true, "the count went on");
  repo.write({ ".ua-hooksrc.json": '{"context":{"every":3}}' });
  prompt();
  prompt();
  assert.equal(marker(), false);
  prompt();
  assert.equal(marker(), true, "as often as the config says");
});

test("where sessions are tracked, git shows no marker", (t) => {
  const { repo, prompt, marker } = world(t);
  repo.git("add", "-f", ".claude/sessions");
  repo.git("commit", "-qm", "sessions");
  for (let prompts = 0; !marker(); prompts++) {
    assert.ok(prompts < 5);
    prompt();
  }
  assert.equal(repo.git("status", "--porcelain", "--untracked-files=all"), "");
});

test("without a session, or without sessions, nothing is created", async (t) => {
  const { repo, prompt } = world(t);
  repo.git("clean", "-xfdq", ".claude");
  prompt();
  prompt();
  assert.equal(existsSync(join(repo.dir, ".claude")), false);
  assert.match(repo.ua("context", "show").stderr, /no session is active/);
});

test("a session's name that leads elsewhere is refused, by commands aloud and by hooks in the log", async (t) => {
  const { repo, prompt, transcript } = world(t);
  const log = () => readFileSync(join(repo.dir, ".git/ua-hooks/context/errors.log"), "utf8");
  repo.write({ "outside/context.md": "" });
  for (const name of ["../../outside", "a/b", "..", "a\\b"]) {
    repo.write({ ".claude/sessions/.active-session": name });
    const { code, stderr } = repo.ua("context", "update", "--transcript", transcript);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /is not a valid session name/);
    prompt();
    assert.match(log(), /is not a valid session name/);
  }
  assert.equal(readFileSync(join(repo.dir, "outside/context.md"), "utf8"), "");
  symlinkSync(repo.base, join(repo.dir, ".claude/sessions/linked"));
  repo.write({ ".claude/sessions/.active-session": "linked" });
  assert.match(repo.ua("context", "show").stderr, /sessions\/linked, which is a symbolic link/);
});

test("transcripts that are missing, truncated or malformed: the marker goes, the context stays, the log tells", async (t) => {
  const { repo, transcript, prompt, marker, context } = world(t);
  const log = join(repo.dir, ".git/ua-hooks/context/errors.log");
  const whole = lines(user("10:00", "We decided to keep it small"), agent("10:01", "Turns out it is big."));
  const cut = line(user("10:02", "I choose red")).slice(0, 60);
  writeFileSync(transcript, `garbage\n{"type":"user"\n[1,2]\nnull\n${whole}${cut}`);
  const update = () => repo.ua("context", "update", "--transcript", transcript);
  repo.write({ ".claude/sessions/harbour/.pending-context-update": "" });
  assert.equal(update().code, 0);
  assert.equal(marker(), false);
  assert.match(context(), /Keep it small/);
  assert.match(context(), /It is big/);
  assert.doesNotMatch(context(), /Red/i, "a line that was cut short says nothing");
  const before = context();

  writeFileSync(transcript, "");
  assert.equal(update().code, 0);
  prompt();
  prompt();
  assert.equal(marker(), true);
  rmSync(transcript);
  prompt();
  await until("the failure is in the log", () => existsSync(log) && readFileSync(log, "utf8").includes("ENOENT"));
  assert.equal(marker(), false);
  assert.equal(context(), before);
  repo.write({ ".claude/sessions/harbour/.pending-context-update": "" });
  assert.match(update().stderr, /ua-hooks: .*transcript\.jsonl does not exist/);
  assert.equal(marker(), false, "whoever updates takes it away, also where it fails");
});

test("a transcript that is a pipe without a writer keeps nothing waiting", (t) => {
  const { repo, transcript } = world(t);
  rmSync(transcript);
  assert.equal(spawnSync("mkfifo", [transcript]).status, 0);
  const args = [join(dist, "cli.cjs"), "context", "update", "--transcript", transcript];
  const { status } = spawnSync(process.execPath, args, { cwd: repo.dir, env: repo.env, timeout: 60_000 });
  assert.equal(status, 0);
});

test("context add, show and --to-records: drafts of decisions, requirements and discoveries, once", async (t) => {
  const { repo, context } = world(t);
  const add = (...args: string[]) => assert.equal(repo.ua("context", "add", ...args).code, 0);
  add("use src/b.ts for doubling", "--kind", "Decision", "--why", "it is there");
  add("Never print", "--kind", "Constraint");
  add("It was the cache", "--kind", "Discovery", "--section", "Blockers & Resolutions");
  add("Fine", "--kind", "Agreed");
  add("fine", "--kind", "Agreed");
  assert.match(
    context(),
    /## Blockers & Resolutions\n\n### \[[^\]]+\] Context Update\n\n- \[\d\d:\d\d\] Discovery: It was the cache\n/,
  );
  assert.equal(repo.uaJson<{ items: unknown[] }>("context", "show").items.length, 4);
  const { drafts } = repo.uaJson<{ drafts: string[] }>("context", "--to-records");
  assert.equal(drafts.length, 3);
  assert.deepEqual((await listed(repo, "list", "--status", "draft")).toSorted(), drafts.toSorted());
  assert.deepEqual(await listed(repo, "list"), [], "nobody approved them");
  assert.equal(
    (await listed(repo, "list", "--status", "draft", "--subject", "src/b.ts")).length,
    1,
    "about the file that it names",
  );
  assert.deepEqual(repo.uaJson<{ drafts: string[] }>("context", "--to-records").drafts, [], "twice is once");
});

test("another update of the context: one that was killed is passed over at once, one in another container is waited for", (t) => {
  const { repo } = world(t);
  const add = (text: string) => repo.ua("context", "add", text, "--kind", "Decision").code;
  assert.equal(add("one"), 0);
  const lock = join(repo.dir, ".git/ua-hooks/context/lock");
  const self = processOf(process.pid);
  const dead = { ...self, pid: spawnSync("true").pid };
  const held = (holder: Partial<ProcessId>) => writeFileSync(lock, JSON.stringify({ ...dead, ...holder }));
  held({});
  assert.equal(add("two"), 0);
  if (self.born !== "") {
    held({ pid: self.pid, born: "12345" });
    assert.equal(add("three"), 0, "the number is another process's by now");
  }
  for (const holder of [self, { host: "elsewhere" }, { space: "another" }]) {
    held(holder);
    assert.equal(add("four"), 4, JSON.stringify(holder));
  }
  utimesSync(lock, 1, 1);
  assert.equal(add("four"), 0);
});
