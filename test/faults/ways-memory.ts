import assert from "node:assert/strict";
import { join } from "node:path";
import { installedRepo, type Repo, type Result } from "../support/repo.js";
import { assertSound } from "../support/sound.js";
import type { Way } from "./harness.js";
import { Author, ok, withEnv } from "./world.js";

/** A command about records or context; `told` asks whether what it was to keep is there. */
function memory(
  name: string,
  args: (count: number) => string[],
  told: (repo: Repo, count: number) => boolean,
  more: (repo: Repo) => { prepare?: () => void } = () => ({}),
): Way {
  return {
    name: `ua-hooks ${name}`,
    hits: "command",
    open(t) {
      const repo = installedRepo(t);
      repo.write({ ".git/info/exclude": `${repo.read(".git/info/exclude")}.claude/\n` });
      const author = new Author(repo);
      const extra = more(repo);
      let count = 0;
      return {
        repo,
        prepare: () => {
          count++;
          author.unseen(author.structural());
          extra.prepare?.();
        },
        act: (env) => withEnv(repo, env).ua(...args(count)),
        after: (result: Result) => {
          if (result.code === 0) assert.ok(told(repo, count), "what it said is kept");
          else if (!told(repo, count)) ok(repo.ua(...args(count)), "again");
          assert.ok(told(repo, count));
          for (let earlier = 1; earlier < count; earlier++) assert.ok(told(repo, earlier), `and number ${earlier}`);
        },
        judge: async (what) => {
          await assertSound(repo, what);
        },
      };
    },
  };
}

interface Listed {
  records: { id: string; statement: string; status: string }[];
}

const statement = (count: number) => `Retry lives in the client, number ${count}`;
const listed = (repo: Repo) => repo.uaJson<Listed & Record<string, unknown>>("record", "list", "--all").records;

const add = memory(
  "record add",
  (count) => ["record", "add", statement(count), "--type", "decision", "--subject", "src/b.ts"],
  (repo, count) => listed(repo).some((one) => one.statement === statement(count)),
);

const refresh = memory(
  "record refresh",
  () => ["record", "refresh"],
  (repo) => listed(repo).length === 1,
  (repo) => {
    ok(repo.ua("record", "add", statement(0), "--type", "decision", "--subject", "src/b.ts"), "added");
    return {};
  },
);

const note = (count: number) => `Use queue number ${count} for the mail`;

export const context = memory(
  "context add",
  (count) => ["context", "add", note(count), "--kind", "Decision"],
  (repo, count) => repo.read(join(".claude/sessions/harbour/context.md")).includes(note(count)),
  (repo) => {
    repo.write({ ".claude/sessions/.active-session": "harbour\n", ".claude/sessions/harbour/context.md": "" });
    return {};
  },
);

export const MEMORY_WAYS: readonly Way[] = [add, refresh, context];
