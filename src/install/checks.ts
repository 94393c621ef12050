import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { checkAgents } from "../agents/check.js";
import { isUaError, isVersionError, messageOf } from "../errors.js";
import { EVENTS, isEvent } from "../git/hook-events.js";
import { filesTrackedIn } from "../git/tracked.js";
import { type HookEnvironment, runsConfigHooks, unsetCommand } from "../hook-managers/environment.js";
import { isOursAlone } from "../hook-managers/hook-file.js";
import { MANAGER_LABELS } from "../hook-managers/manager.js";
import { type EventState, eventStates, ownerOf } from "../hook-managers/state.js";
import { wrongHooksPath } from "../hook-managers/wrong-path.js";
import { META } from "../knowledge/artefacts.js";
import { readLeft } from "../knowledge/parse-notes.js";
import { chownCommand, currentUser, ownerOf as ownerOfFile } from "../platform/owner.js";
import { withContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import { LAUNCHER } from "../repository/launcher.js";
import { LONG_NAME, type Project, SHORT_NAME } from "../repository/locate.js";
import { pausedSince } from "../repository/paused.js";
import { readBytes } from "../store/files.js";
import { staleLockFiles } from "../store/lock.js";
import { hasBlock } from "../store/marked-block.js";
import { canWrite, integrityProblems } from "../store/state.js";
import { toUserError } from "../store/user-error.js";
import { readWorktree } from "../sync/switch.js";
import { hasJournal } from "../worker/journal.js";
import { type Fired, liveFire } from "./live-fire.js";
import { isOtherBuild, misplacedFiles, packageFile } from "./runtime.js";
import { unreadDatabases } from "./salvage.js";

export interface DoctorCheck {
  name: string;
  state: "ok" | "warning" | "problem";
  said: string;
  /** What to do about it. */
  next?: string;
}

/** All checks of doctor, in the order of its report. Add new ones here. */
export const CHECKS: readonly ((environment: HookEnvironment) => DoctorCheck[] | Promise<DoctorCheck[]>)[] = [
  hooksCheck,
  hooksPathCheck,
  configHooksCheck,
  foreignCheck,
  programCheck,
  ownerCheck,
  foldersCheck,
  storeCheck,
  dataDirCheck,
  committedMetaCheck,
  locksCheck,
  parserCheck,
  agentsCheck,
];

const FIX = "run `ua-hooks doctor --fix`";

/** Each event: installed and live (git ran it just now), or bypassed, and by what. */
export function hooksCheck(environment: HookEnvironment): DoctorCheck[] {
  const states = eventStates(environment);
  const { fired, untested, failed } = tryToFire(environment);
  const wrong = wrongHooksPath(environment);
  // Then our own repair does not help.
  const mend = wrong?.isMissing === true ? { next: `run \`${wrong.command}\`` } : {};
  const checks = states
    .map((state) => eventCheck(state, fired[state.event], untested))
    .map((check) => (check.state === "ok" ? check : { ...check, ...mend }));
  const paused = pausedSince(environment.project.stateDir);
  const rests = paused === null ? [] : [warn("paused", `since ${paused}: events are ignored`, "run `ua-hooks resume`")];
  const off =
    process.env.UA_HOOKS === "0"
      ? [warn("off-switch", "UA_HOOKS=0 is set in this environment: hooks do nothing", "unset UA_HOOKS")]
      : [];
  return [...checks, ...(failed === null ? [] : [warn("live-fire", `the test failed: ${failed}`)]), ...rests, ...off];
}

/** `untested`: why an event was not tested. */
function tryToFire(environment: HookEnvironment): { fired: Fired; untested: string; failed: string | null } {
  const nothing = Object.fromEntries(EVENTS.map((event) => [event, null])) as Fired;
  if (!existsSync(join(environment.project.stateDir, "entry.sh")))
    return { fired: nothing, untested: "because the program is missing", failed: null };
  try {
    const untested = "because the hook manager's own hooks would run too";
    return { fired: liveFire(environment), untested, failed: null };
  } catch (error) {
    return { fired: nothing, untested: "because the test failed", failed: messageOf(error) };
  }
}

function eventCheck(
  { event, places, live, bypassedBy, mend }: EventState,
  fired: string[] | null,
  untested: string,
): DoctorCheck {
  const where = places.map((place) => MANAGER_LABELS[place]).join(" and ");
  const next = mend ?? FIX;
  if (fired !== null && fired.length > 0)
    return { name: event, state: "ok", said: `live: fired just now (in ${where})` };
  if (fired !== null)
    return problem(event, `in ${where}, but git did not run it${live ? "" : `: ${bypassedBy}`}`, next);
  if (live) return warn(event, `in ${where}; not tested, ${untested}`, FIX);
  if (places.length === 0) return problem(event, `not installed: ${bypassedBy ?? ""}`, FIX);
  return problem(event, `in ${where}, bypassed by ${bypassedBy ?? ""}`, next);
}

/** Every scope: agents and hook managers often set it in another one than users expect. */
function hooksPathCheck(environment: HookEnvironment): DoctorCheck[] {
  const { hooksPaths, hooksDir, owner, gitVersion } = environment;
  const wrong = wrongHooksPath(environment);
  const git = `git ${gitVersion.join(".")}${runsConfigHooks({ gitVersion }) ? "" : ", which has no config hooks"}`;
  if (hooksPaths.length === 0) return [ok("core.hooksPath", `not set; hooks are in ${hooksDir} (${git})`)];
  return hooksPaths.map(({ scope, origin, value }, at) => {
    const counts = at === hooksPaths.length - 1;
    const text = `${scope} (${origin}): ${value === "" ? '""' : value}${counts ? `, in effect (${git})` : ""}`;
    if (counts && wrong !== null) {
      const say = wrong.isMissing ? problem : warn;
      return say("core.hooksPath", `${text}; ${wrong.what}`, `run \`${wrong.command}\``);
    }
    return counts && owner === "shared"
      ? warn("core.hooksPath", `${text}; other repositories use it too`)
      : ok("core.hooksPath", text);
  });
}

/** Whether git's config lets our hooks of the config run. */
function configHooksCheck(environment: HookEnvironment): DoctorCheck[] {
  if (!runsConfigHooks(environment)) return [];
  const off = environment.switchedOff;
  // Ours do not declare `parallel`: an event that arrives twice is told by its order. So `hook.jobs` changes nothing for our events.
  if (off.length === 0) return [ok("config hooks", "enabled; git runs those of one event one after the other")];
  return off.map((one) => warn("config hooks", `${one.key} is false (${one.scope}, ${one.origin})`, unsetCommand(one)));
}

function foreignCheck(environment: HookEnvironment): DoctorCheck[] {
  const names = existsSync(environment.hooksDir) ? readdirSync(environment.hooksDir) : [];
  const whose = new Map<string, string[]>();
  for (const name of names.filter((each) => /^[a-z]+(-[a-z]+)+$/.test(each)).sort()) {
    const text = readBytes(join(environment.hooksDir, name));
    if (isOursAlone(text)) continue;
    const who = isEvent(name) && hasBlock(text) ? "beside ours" : ownerOf(environment, text);
    whose.set(who, [...(whose.get(who) ?? []), name]);
  }
  const owners = [...whose].map(
    ([who, hooks]) => `${who}: ${hooks.length > 5 ? `${hooks.length} files` : hooks.join(", ")}`,
  );
  return [ok("other hooks", owners.length === 0 ? "none" : owners.join("; "))];
}

/** The node and the program that hooks start. */
function programCheck({ project: { stateDir, commonDir } }: HookEnvironment): DoctorCheck[] {
  const env = join(stateDir, "env");
  if (!existsSync(env)) return [problem("program", "not installed: there is no state dir", "run `ua-hooks install`")];
  const [node = "", entry = ""] = readFileSync(env, "utf8").split("\n");
  const { status, stdout } = process
    .getBuiltinModule("node:child_process")
    .spawnSync(node, ["--version"], { encoding: "utf8" });
  const old = status === 0 && !isNewEnough(stdout);
  const program = resolve(commonDir, entry);
  const current =
    ["shim.sh", "entry.sh"].every((name) => readBytes(join(stateDir, name)) === packageFile("hooks", name)) &&
    readBytes(join(stateDir, LAUNCHER)) === packageFile("hooks", "launcher.sh") &&
    !isOtherBuild(stateDir);
  return [
    status !== 0
      ? problem("node", `${node} is missing; hooks search for another one`, FIX)
      : old
        ? problem(
            "node",
            `${node} is ${stdout.trim()}, too old`,
            "install Node 20.17 or later, then run `ua-hooks doctor --fix` with it",
          )
        : ok("node", `${stdout.trim()}, ${node}`),
    existsSync(program) ? ok("program", program) : problem("program", `${program} is missing`, FIX),
    current
      ? ok("version", UA_HOOKS_VERSION)
      : warn("version", "the hooks run another version of ua-hooks than this one", FIX),
  ];
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 17);
}

function foldersCheck({ project: { stateDir } }: HookEnvironment): DoctorCheck[] {
  return misplacedFiles(stateDir).map((name) =>
    problem("state dir", `${join(stateDir, name)} is a file, where a folder belongs`, FIX),
  );
}

/** Files of another user in our folders: a commit by root leaves them, and then their owner cannot go on. */
function ownerCheck({ project: { stateDir, dataDir } }: HookEnvironment): DoctorCheck[] {
  const user = currentUser();
  if (user === null) return [];
  return [stateDir, dataDir].map((folder) => {
    const others = filesIn(folder).filter((path) => (ownerOfFile(path) ?? user) !== user);
    const more = others.length > 1 ? ` and ${others.length - 1} more` : "";
    return others.length === 0
      ? ok("owner", `${folder} is yours`)
      : problem("owner", `${others[0]}${more}: of another user`, `give it back: ${chownCommand(folder)}`);
  });
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
}

async function storeCheck({ project }: HookEnvironment): Promise<DoctorCheck[]> {
  if (!isSetUp(project) && !existsSync(join(project.stateDir, "env"))) return [];
  const found = await storeProblem(project);
  return found === null
    ? [ok("store", "sound"), await readingCheck(project)]
    : [problem("store", found.said, found.next)];
}

/** Two data dirs, where a verification moved neither away (verification/data-dir.ts). */
async function dataDirCheck({ project: { root, dataDir } }: HookEnvironment): Promise<DoctorCheck[]> {
  if (root === null || ![LONG_NAME, SHORT_NAME].every((name) => existsSync(join(root, name)))) return [];
  const used = basename(dataDir);
  const other = used === LONG_NAME ? SHORT_NAME : LONG_NAME;
  const tracked = await filesTrackedIn(root, [LONG_NAME, SHORT_NAME]);
  const isTracked = (name: string) => tracked.some((path) => path.startsWith(`${name}/`));
  const by = [LONG_NAME, SHORT_NAME].filter(isTracked).map((name) => `${name}/`);
  const tracks = `git tracks ${by.length === 0 ? "neither" : by.length === 2 ? "both" : by[0]}`;
  // Only where it is switched off there does a verification leave it so.
  const next =
    by.length === 1 && isTracked(other)
      ? `set autoUpdate to true in ${used}/config.json: then ${other}/ is used`
      : `keep one of the two: \`${isTracked(other) ? "git rm -r" : "rm -r"} ${other}\``;
  return [warn("data dir", `${used}/ is used; ${other}/ is not (${tracks})`, next)];
}

/** Hooks write no tracked file, so a committed meta.json names an old commit: Understand-Anything then finds every commit stale. */
async function committedMetaCheck({ project: { root, dataDir } }: HookEnvironment): Promise<DoctorCheck[]> {
  if (root === null) return [];
  const path = `${basename(dataDir)}/${META}`;
  if ((await filesTrackedIn(root, [path])).length === 0) return [];
  const what = `git tracks ${path}, so hooks do not write it: for Understand-Anything the graph is stale after each commit`;
  return [warn("committed graph", what, `run \`git rm --cached ${path}\`, and commit: each clone then has its own`)];
}

/** What every command that reads would end with. */
async function readingCheck(project: Project): Promise<DoctorCheck> {
  const name = "config, graph";
  try {
    await withContext(project, async (context) => {
      await context.config();
      await readWorktree(context);
    });
    return ok(name, "can be read");
  } catch (thrown) {
    const error = toUserError(thrown) ?? thrown;
    return problem(name, messageOf(error), isUaError(error) ? error.next : undefined);
  }
}

/** What is wrong with the state database. `isDamaged`: it is of no use any more. One of a newer version, or on a full disk, is. */
export async function storeProblem(
  project: Project,
): Promise<{ said: string; next: string | undefined; isDamaged: boolean } | null> {
  if (!isSetUp(project)) return { said: "state.db is missing", next: FIX, isDamaged: true };
  try {
    const found = await withContext(project, async (context) => integrityProblems(await context.database()));
    if (found.length > 0) return { said: found.slice(0, 3).join("; "), next: FIX, isDamaged: true };
    const isUnread = unreadDatabases(project.stateDir).length > 0; // a repair was killed
    return isUnread ? { said: "a damaged database is not read yet", next: FIX, isDamaged: false } : null;
  } catch (error) {
    const next = isUaError(error) ? error.next : FIX;
    const isDamaged = isUaError(error) && error.code === "damaged" && !isVersionError(error);
    return { said: messageOf(error), next, isDamaged };
  }
}

/** Agent settings that install wrote, and that clients may rewrite. */
function agentsCheck({ project }: HookEnvironment): DoctorCheck[] {
  return checkAgents(project, project.worktree.path, process.env).map(
    ({ client, file, state, speaks: sender, trusted }) => {
      if (state === "damaged") return problem(client, `${file} cannot be read as JSON`, "correct the file");
      if (state === "rejected") return problem(client, `${client} does not read comments in ${file}`, "remove them");
      if (state !== "installed") return warn(client, `our part of ${file} is ${state}`, FIX);
      if (trusted === false)
        return warn(client, `awaiting trust (${file})`, `start ${client} here and approve the hooks`);
      return ok(
        client,
        sender === "ua-hooks"
          ? `notified through ${file}`
          : `notified through ${file}; at the start of a session and after a commit by Understand-Anything's own hook`,
      );
    },
  );
}

async function locksCheck({ project }: HookEnvironment): Promise<DoctorCheck[]> {
  const found = await staleLocks(project);
  const waiting = hasJournal(project.stateDir) && found.length === 0;
  return [
    found.length === 0
      ? ok("locks", "none is stale")
      : warn("locks", `left by a process that is gone: ${found.join(", ")}`, FIX),
    ...(waiting
      ? [warn("journal", "events are waiting, and no worker is running", "run `ua-hooks status` to process them")]
      : []),
  ];
}

/** Files that ended the process which parsed them. */
function parserCheck({ project: { stateDir } }: HookEnvironment): DoctorCheck[] {
  return readLeft(stateDir, canWrite(stateDir)).map(({ path, oid }) =>
    warn(
      "parser",
      `a process ended while it parsed ${path} (blob ${oid}): compared by content only`,
      `${FIX} to parse it again; an upgrade of ua-hooks does so, too`,
    ),
  );
}

export async function staleLocks(project: Project): Promise<string[]> {
  if (!isSetUp(project)) return [];
  try {
    return await withContext(project, async (context) => staleLockFiles(await context.database(), project.stateDir));
  } catch {
    return []; // a database that cannot be read is reported by its own check
  }
}

const ok = (name: string, text: string): DoctorCheck => ({ name, state: "ok", said: text });
const warn = (name: string, text: string, next?: string): DoctorCheck => ({
  name,
  state: "warning",
  said: text,
  ...(next ? { next } : {}),
});
const problem = (name: string, text: string, next?: string): DoctorCheck => ({
  name,
  state: "problem",
  said: text,
  ...(next ? { next } : {}),
});
