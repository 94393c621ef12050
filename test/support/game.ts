import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { parseResult } from "../../src/graph/result.js";
import { verifyRegistry } from "../../src/registry/answers.js";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { readWorktree } from "../../src/sync/switch.js";
import { compareWithClean, runStructural } from "../../src/updates/run.js";
import { ackUpdate, applyResult } from "../../src/updates/update.js";
import { analysisOf } from "./agent.js";
import { dice } from "./dice.js";
import { makeRepo, type Repo, repoAt } from "./repo.js";

/**
 * Invariant "incremental equals clean" as a game: random git operations, random deliveries, and after each of them the stores must equal a rebuild
 * from the analysed blobs. Each move has dice of its own, so that a game with some moves left out is the same game.
 */
export interface Move {
  name: string;
  seed: number;
}

interface Game {
  repo: Repo;
  roll(below: number): number;
  pick<T>(list: readonly T[]): T;
  files(): string[];
}

const PATHS = [
  "src/a.ts",
  "src/b.ts",
  "src/b/index.ts",
  "src/c.ts",
  "lib/a.ts",
  "lib/d.ts",
  "tools/m.py",
  "tools/n.py",
];

function content(game: Game, path: string): string {
  const [name, other] = [game.pick(["f", "g", "h"]), game.pick(["./a", "./b", "../lib/a", "./c", "../src/c"])];
  const params = game.pick(["", "x", "x, y"]);
  if (path.endsWith(".py")) {
    const call = game.pick(["m.f()", "m.g(1)", "f()", "1"]);
    return `import m\n\ndef ${name}(${params}):\n    return ${call} + ${game.roll(9)}\n`;
  }
  const typed = params.replaceAll(/\w/g, "$&: number");
  const base = game.pick(["", " extends Base"]);
  const call = game.pick(["f();", "g();", "new Base();", "new Other();", ""]);
  return [
    `import { Base, f } from "${other}";`,
    `// ${game.roll(99)}`,
    `export class ${game.pick(["Base", "Other"])}${base} {}`,
    `export function ${name}(${typed}): number {\n  ${call}\n  return ${game.roll(9)};\n}\n`,
  ].join("\n");
}

type Operation = (game: Game) => void;

const commit = (message: string, change: (game: Game) => void): Operation => {
  return (game) => {
    change(game);
    game.repo.git("add", "-A");
    game.repo.tryGit("commit", "-q", "-m", message);
  };
};

const OPERATIONS_OF: Record<string, Operation> = {
  write: commit("write", (game) => {
    const path = game.pick(PATHS);
    game.repo.write({ [path]: content(game, path) });
  }),
  writeMany: commit("write many", (game) => {
    for (let at = 0; at < 3; at++) {
      const path = game.pick(PATHS);
      game.repo.write({ [path]: content(game, path) });
    }
  }),
  comment: commit("comment", (game) => {
    const path = game.pick(game.files());
    const sign = path.endsWith(".py") ? "#" : "//";
    game.repo.write({ [path]: `${sign} ${game.roll(1000)}\n${game.repo.read(path)}` });
  }),
  remove: commit("remove", (game) => {
    if (game.files().length > 2) game.repo.git("rm", "-q", game.pick(game.files()));
  }),
  rename: commit("rename", (game) => {
    const from = game.pick(game.files());
    const to = game.pick(PATHS.filter((path) => path.endsWith(from.slice(-3))));
    if (!game.files().includes(to)) {
      game.repo.write({ [to]: game.repo.read(from) });
      game.repo.git("rm", "-q", from);
    }
  }),
  config: commit("config", (game) => {
    game.repo.write({ "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: game.pick([".", "src"]) } }) });
  }),
  amend: (game) => {
    const path = game.pick(PATHS);
    game.repo.write({ [path]: content(game, path) });
    game.repo.git("add", "-A");
    game.repo.git("commit", "-q", "--amend", "-m", "amended", "--allow-empty");
  },
  branch: (game) => game.repo.git("checkout", "-q", "-B", game.pick(["one", "two"])),
  checkout: (game) => {
    const branches = game.repo.git("branch", "--format=%(refname:short)").split("\n");
    game.repo.git("checkout", "-q", game.pick(branches.filter((name) => !name.startsWith("("))));
  },
  merge: (game) => {
    const done = game.repo.tryGit("merge", "-q", "--no-edit", "-X", "ours", game.pick(["main", "one", "two"]));
    if (done.code !== 0) game.repo.tryGit("merge", "--abort");
  },
  rebase: (game) => {
    if (game.repo.tryGit("rebase", "-q", "-X", "ours", game.pick(["main", "one", "two"])).code !== 0) {
      game.repo.tryGit("rebase", "--abort");
    }
  },
  revert: (game) => {
    if (game.repo.tryGit("revert", "--no-edit", "HEAD").code !== 0) game.repo.tryGit("revert", "--abort");
  },
  reset: (game) => void game.repo.tryGit("reset", "-q", "--hard", "HEAD~1"),
  stash: (game) => {
    const path = game.pick(game.files());
    game.repo.write({ [path]: content(game, path) });
    if (game.repo.git("stash", "list") === "") game.repo.tryGit("stash", "-q");
    else game.repo.tryGit("reset", "-q", "--hard");
    if (game.roll(2) === 0 && game.repo.tryGit("stash", "pop", "-q").code === 0) {
      game.repo.git("add", "-A");
      game.repo.tryGit("commit", "-q", "-m", "from the stash");
    }
    game.repo.tryGit("reset", "-q", "--hard");
    game.repo.tryGit("stash", "clear");
  },
};

/** Deliveries: what an agent, a person or the analyzer does about what is pending. */
async function deliver({ repo, pick }: Game): Promise<void> {
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const { marker } = await withContext(project, readWorktree);
  const what = pick(["agent", "agent", "ack", "run"]);
  if (marker === null) return;
  if (what === "ack") await withContext(project, (context) => ackUpdate(context, { lease: null, generation: null }));
  else if (what === "run") await withContext(project, (context) => runStructural(context, { full: false }));
  else {
    const result = JSON.stringify(analysisOf(repo, marker.filesToReanalyze, `words ${marker.generation}`));
    await withContext(project, (context) => applyResult(context, parseResult(result, repo.dir), null));
  }
}

/** A linked worktree with a commit of its own, analysed there by an agent, and merged. */
async function worktree(game: Game): Promise<void> {
  const { repo } = game;
  if (repo.tryGit("worktree", "add", "-q", "-B", "side", "../side").code !== 0) return;
  const side = repo.at(join(repo.base, "side"));
  const path = game.pick(PATHS);
  side.write({ [path]: content(game, path) });
  side.git("add", "-A");
  side.tryGit("commit", "-q", "-m", "side");
  await deliver({ ...game, repo: side, pick: <T>(list: readonly T[]) => list[0] as T });
  repo.git("worktree", "remove", "--force", "../side");
  OPERATIONS_OF.merge?.({ ...game, pick: <T>() => "side" as T });
}

/** A project for such a game. */
export function projectFor(game: Game): Record<string, string> {
  return Object.fromEntries(PATHS.slice(0, 6).map((path) => [path, content(game, path)]));
}

/** Which moves a seed stands for. */
export function movesOf(seed: number, count: number): Move[] {
  const roll = dice(seed);
  const names = Object.keys(OPERATIONS_OF);
  return Array.from({ length: count }, () => {
    const which = roll(10);
    const name = which < 3 ? "deliver" : which === 3 ? "worktree" : (names[roll(names.length)] ?? "write");
    return { name, seed: roll(1_000_000) };
  });
}

/** Plays the moves in a new repository: what the stores say that a rebuild would not, and after which move. */
export async function play(
  t: TestContext,
  seed: number,
  moves: readonly Move[],
): Promise<{ at: number; differences: string[] } | null> {
  const made = makeRepo(t);
  const repo = repoAt(made.dir, made.base, { ...made.env, UA_HOOKS: "0" });
  repo.commit("start", projectFor(gameOf(repo, seed)));
  assert.equal(repo.ua("install").code, 0);
  assert.equal(repo.ua("registry", "verify").code, 0, "from here on it is kept");
  for (const [at, move] of moves.entries()) {
    await make(gameOf(repo, move.seed), move.name);
    const project = await locateProject({ cwd: repo.dir, env: {} });
    // The registry follows now as a hook makes it follow, now as a question does.
    if (move.seed % 2 === 0)
      await withContext(project, (context) => verifyRegistry(context, {}, { md5: false, all: false, rehash: false }));
    const differences = await withContext(project, compareWithClean);
    if (differences.length > 0) return { at, differences };
  }
  return null;
}

export function gameOf(repo: Repo, seed: number): Game {
  const roll = dice(seed);
  const files = () =>
    repo
      .git("ls-files", "src", "lib", "tools")
      .split("\n")
      .filter((path) => path !== "");
  return { repo, roll, pick: <T>(list: readonly T[]): T => list[roll(list.length)] as T, files };
}

export async function make(game: Game, name: string): Promise<void> {
  if (name === "deliver") await deliver(game);
  else if (name === "worktree") await worktree(game);
  else OPERATIONS_OF[game.files().length < 2 ? "write" : name]?.(game);
}
