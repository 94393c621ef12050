import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dist, type Repo, repoAt } from "../support/repo.js";

/** Real hook managers, each with a hook of its own for our four events that notes what it was given. */
export interface Manager {
  name: string;
  /** Why it cannot be tried here, if so. */
  missing: string | null;
  /** The files that a project which uses it has in git. */
  files: Record<string, string>;
  /** Its own install, the first time or again. */
  install(repo: Repo): void;
  /** Whether its hook reads post-rewrite's stdin at all. */
  readsStdin: boolean;
  /** Whether it has a hook for post-rewrite. */
  events: readonly string[];
}

export const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];
const modules = join(dist, "..", "node_modules");

/** What a manager's hook does: the event, git's arguments, and stdin where there should be some. */
const note = (event: string, args = '"$@"') =>
  `${event === "post-rewrite" ? "pairs=$(cat); " : ""}echo ${event} ${args} \${pairs-} >>"$LOG"`;

function has(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
}

function run(repo: Repo, command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: repo.dir, env: repo.env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} exited ${status}: ${stdout}${stderr}`);
}

const node =
  (script: string, ...args: string[]) =>
  (repo: Repo) =>
    run(repo, process.execPath, join(modules, script), ...args);

export const husky: Manager = {
  name: "husky",
  missing: existsSync(join(modules, "husky")) ? null : "husky is not here",
  files: Object.fromEntries([
    ["package.json", '{ "name": "x", "private": true }\n'],
    ...EVENTS.map((event) => [`.husky/${event}`, `${note(event)}\n`]),
  ]),
  install: node("husky/bin.js"),
  readsStdin: true,
  events: EVENTS,
};

export const lefthook: Manager = {
  name: "lefthook",
  missing: existsSync(join(modules, "lefthook")) ? null : "lefthook is not here",
  files: {
    "lefthook.yml": EVENTS.map((event) => {
      const stdin = event === "post-rewrite" ? "      use_stdin: true\n" : "";
      return `${event}:\n  jobs:\n    - name: theirs\n      run: '${note(event, "{0}")}'\n${stdin}`;
    }).join(""),
  },
  install: node("lefthook/bin/index.js", "install", "-f"),
  readsStdin: true,
  events: EVENTS,
};

export const simpleGitHooks: Manager = {
  name: "simple-git-hooks",
  missing: existsSync(join(modules, "simple-git-hooks")) ? null : "simple-git-hooks is not here",
  files: {
    "package.json": `${JSON.stringify({ name: "x", "simple-git-hooks": Object.fromEntries(EVENTS.map((event) => [event, note(event)])) }, null, 2)}\n`,
  },
  install: node("simple-git-hooks/cli.js"),
  readsStdin: true,
  events: EVENTS,
};

const hookOf = (event: string) => `
  - id: theirs-${event}
    name: theirs
    entry: sh -c 'echo ${event} >>"$LOG"'
    language: system
    always_run: true
    pass_filenames: false
    stages: [${event}]`;

export const preCommit: Manager = {
  name: "pre-commit",
  missing: has("pre-commit") ? null : "pre-commit is not here",
  files: { ".pre-commit-config.yaml": `# theirs\nrepos:\n- repo: local\n  hooks:${EVENTS.map(hookOf).join("")}\n` },
  install: (repo) => run(repo, "pre-commit", "install", ...EVENTS.flatMap((event) => ["-t", event])),
  readsStdin: false, // it gives its own hooks an empty one
  events: EVENTS,
};

const missingPrek = has("prek") ? null : "prek is not here";
const installPrek = (repo: Repo) => run(repo, "prek", "install", ...EVENTS.flatMap((event) => ["-t", event]));

/** With pre-commit's config. */
export const prek: Manager = {
  name: "prek",
  missing: missingPrek,
  files: preCommit.files,
  install: installPrek,
  readsStdin: false,
  events: EVENTS,
};

const tomlHookOf = (event: string) => `
[[repos.hooks]]
id = "theirs-${event}"
name = "theirs"
entry = """sh -c 'echo ${event} >>"$LOG"'"""
language = "system"
always_run = true
pass_filenames = false
stages = ["${event}"]
`;

/** With its own. */
export const prekToml: Manager = {
  name: "prek, prek.toml",
  missing: missingPrek,
  files: { "prek.toml": `# theirs\n[[repos]]\nrepo = "local"\n${EVENTS.map(tomlHookOf).join("")}` },
  install: installPrek,
  readsStdin: false,
  events: EVENTS,
};

/** Its hooks call `git lfs <event>`: a git-lfs in front of the real one notes that. */
export const gitLfs: Manager = {
  name: "git-lfs",
  missing: has("git-lfs") ? null : "git-lfs is not here",
  files: {},
  install: (repo) => {
    const bin = join(repo.base, "bin");
    const real = spawnSync("sh", ["-c", "command -v git-lfs"], { encoding: "utf8" }).stdout.trim();
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, "git-lfs"),
      `#!/bin/sh\ncase $1 in post-*) echo "$@" >>"$LOG" ;; esac\nexec "${real}" "$@"\n`,
    );
    chmodSync(join(bin, "git-lfs"), 0o755);
    run(repo, "git", "lfs", "install", "--local", "--force");
  },
  readsStdin: false,
  events: ["post-commit", "post-merge", "post-checkout"],
};

/**
 * From its documentation and its source, since it is not in npm's registry: the hook files that it writes where git is older than 2.54,
 * over whatever is there.
 */
export const hk: Manager = {
  name: "hk",
  missing: null,
  files: { "hk.pkl": "// theirs\n" },
  install: (repo) => {
    const bin = join(repo.base, "bin");
    mkdirSync(bin, { recursive: true });
    const program = '#!/bin/sh\n[ "$1" = run ] || exit 1\nevent=$2\nshift 3\n';
    const noted = 'pairs=\n[ "$event" != post-rewrite ] || pairs=$(cat)\necho "$event" "$@" $pairs >>"$LOG"\n';
    writeFileSync(join(bin, "hk"), program + noted, { mode: 0o755 });
    for (const event of EVENTS) {
      const file = join(repo.dir, ".git/hooks", event);
      mkdirSync(join(repo.dir, ".git/hooks"), { recursive: true });
      const text = `#!/bin/sh\ntest "\${HK:-1}" = "0" || exec hk run ${event} --from-hook "$@"\n`;
      writeFileSync(file, text, { mode: 0o755 });
    }
  },
  readsStdin: true,
  events: EVENTS,
};

export const MANAGERS: readonly Manager[] = [husky, lefthook, simpleGitHooks, preCommit, prek, prekToml, hk, gitLfs];

/** The repository with the managers' programs on PATH and a file that their hooks write to. */
export function withManagers(repo: Repo, extra: NodeJS.ProcessEnv = {}): Repo {
  const path = [join(repo.base, "bin"), join(modules, ".bin"), process.env.PATH].join(":");
  const env = {
    ...repo.env,
    PATH: path,
    LEFTHOOK_BIN: join(modules, ".bin/lefthook"), // a node_modules/.bin on PATH is not searched
    LOG: join(repo.base, "theirs"),
    PRE_COMMIT_HOME: join(repo.base, "pre-commit"),
    PREK_HOME: join(repo.base, "prek"),
  };
  return repoAt(repo.dir, repo.base, { ...env, ...extra });
}

/** What the manager's hooks noted since the last time. */
export function theirs(repo: Repo): string[] {
  const file = join(repo.base, "theirs");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  rmSync(file, { force: true });
  return lines;
}
