import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import type { Project } from "../repository/locate.js";
import { readBytes } from "../store/files.js";
import { HOOK_MANAGERS } from "./choose.js";
import { detectHookEnvironment, type HookEnvironment, runsConfigHooks, unsetCommand } from "./environment.js";
import { isRunnable, NO_RUN_RIGHTS } from "./hook-file.js";
import { isLefthooks, lefthook } from "./lefthook.js";
import type { ManagerName } from "./manager.js";
import { isPreCommits, preCommit } from "./pre-commit.js";
import { isPreks, prek } from "./prek.js";
import { isSimpleGitHooks } from "./simple-git-hooks.js";
import { wrongHooksPath, wrongPathSentence } from "./wrong-path.js";

/** One event: the places where our hooks are installed, and whether git uses one of them. */
export interface EventState {
  event: Event;
  places: ManagerName[];
  live: boolean;
  /** What prevents it, if it is not live. */
  bypassedBy: string | null;
  /** The command that lets it run again, where an installation does not. */
  mend: string | null;
}

export interface HooksState {
  /** The first place where git finds our hooks. */
  place: ManagerName | null;
  places: ManagerName[];
  installed: Event[];
  missing: Event[];
  bypassed: { event: Event; by: string }[];
  /** One line if installed hooks do not fire. */
  warning: string | null;
}

export async function hooksState(project: Project): Promise<HooksState> {
  return hooksStateOf(await detectHookEnvironment(project));
}

export function hooksStateOf(environment: HookEnvironment): HooksState {
  const events = eventStates(environment);
  const places = HOOK_MANAGERS.map(({ name }) => name).filter((name) =>
    events.some((each) => each.places.includes(name)),
  );
  const installed = events.filter(({ places: in_ }) => in_.length > 0).map(({ event }) => event);
  const bypassed = events.flatMap(({ event, bypassedBy }) => (bypassedBy === null ? [] : [{ event, by: bypassedBy }]));
  return {
    place: places[0] ?? null,
    places,
    installed,
    missing: EVENTS.filter((event) => !installed.includes(event)),
    bypassed: isInstalled(environment.project) ? bypassed : [],
    warning: isInstalled(environment.project) ? warningFor(environment, events) : null,
  };
}

/** install writes env and uninstall removes it: hooks that are gone without env were removed on purpose. */
function isInstalled({ stateDir }: Project): boolean {
  return existsSync(join(stateDir, "env"));
}

export function eventStates(environment: HookEnvironment): EventState[] {
  const held = HOOK_MANAGERS.map((place) => ({ name: place.name, events: place.holds(environment) }));
  return EVENTS.map((event) => {
    const places = held.filter(({ events }) => events.includes(event)).map(({ name }) => name);
    const live = isLive(environment, event, places);
    const off = live ? undefined : environment.switchedOff.find((one) => one.event === event);
    const mend = off === undefined ? null : unsetCommand(off);
    return { event, places, live, bypassedBy: live ? null : bypasser(environment, event), mend };
  });
}

function isLive(environment: HookEnvironment, event: Event, places: readonly ManagerName[]): boolean {
  const off = environment.switchedOff.filter((one) => one.event === event);
  // Of the hook file the manual says that it is switched off with its event, and git 2.55 runs it all the same.
  if (off.some(({ key }) => key === `hook.${event}.enabled`)) return false;
  if (places.includes("config") && runsConfigHooks(environment) && off.length === 0) return true;
  const file = join(environment.hooksDir, event);
  if (!isRunnable(file)) return false;
  if (isHuskyShim(environment)) return places.includes("husky");
  const text = readBytes(file);
  // The block, or our line in a command written by simple-git-hooks.
  if (text.includes("ua-hooks/entry.sh")) return true;
  if (isLefthooks(text)) return lefthook.holds(environment).includes(event);
  if (!isPreCommits(text) && !isPreks(text)) return false;
  const slot = isPreks(text) && prek.detect(environment) ? prek : preCommit;
  return slot.holds(environment).includes(event) || readBytes(`${file}.legacy`).includes("ua-hooks/entry.sh");
}

function isHuskyShim({ hooksDir, huskyDir }: HookEnvironment): boolean {
  return huskyDir !== null && basename(hooksDir) === "_";
}

function bypasser(environment: HookEnvironment, event: Event): string {
  const off = environment.switchedOff.find((one) => one.event === event);
  if (off !== undefined) return `${off.key} = false (${off.scope}, ${off.origin})`;
  const file = join(environment.hooksDir, event);
  const who = ownerOf(environment, readBytes(file));
  if (environment.owner === "clone") return existsSync(file) ? who : "a missing hook file";
  const path = environment.hooksPaths.at(-1);
  const place = path === undefined ? "git's hooks folder is a link" : `core.hooksPath = ${path.value}, ${path.scope}`;
  return `${isHuskyShim(environment) ? "husky" : existsSync(file) ? who : "a hooks folder without our hooks"} (${place})`;
}

/** hk's hook files: git 2.53 and earlier; with a later git it has hooks in git's config, as we have. */
function isHks(text: string): boolean {
  return /test "\$\{HK:-1\}" = "0"/.test(text) && /\bhk run\b/.test(text);
}

/** The owner of a hook file, from its text. */
export function ownerOf(environment: HookEnvironment, text: string): string {
  if (isHuskyShim(environment)) return "husky";
  if (isLefthooks(text)) return "lefthook";
  if (isPreCommits(text)) return "pre-commit";
  if (isPreks(text)) return "prek";
  if (isHks(text)) return "hk";
  if (isSimpleGitHooks(text)) return "simple-git-hooks";
  if (/\bgit[ -]lfs\b/.test(text)) return "git-lfs";
  return "another hook file";
}

/** install gives this file a run bit, only to see whether it counts. */
function isMountWithoutRunRights(stateDir: string): boolean {
  const file = join(stateDir, "entry.sh");
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o100) !== 0 && !isRunnable(file);
}

function warningFor(environment: HookEnvironment, events: readonly EventState[]): string | null {
  const { stateDir, commonDir } = environment.project;
  const bypassed = events.filter(({ bypassedBy }) => bypassedBy !== null);
  const wrong = wrongHooksPath(environment);
  if (bypassed.length > 0 && wrong?.isMissing === true) return wrongPathSentence(wrong); // install does not help
  const again = "run `ua-hooks install` again";
  if (bypassed.length > 0 && isMountWithoutRunRights(stateDir))
    return `hooks cannot run in ${stateDir}: ${NO_RUN_RIGHTS}`;
  if (bypassed.length > 0) {
    const by = [...new Set(bypassed.map(({ bypassedBy }) => bypassedBy))].join("; ");
    const which = bypassed.length === EVENTS.length ? "all hooks" : bypassed.map(({ event }) => event).join(", ");
    const mend = bypassed.map((one) => one.mend).find((command) => command !== null);
    return `${which} bypassed by ${by}: ${mend ?? again}`;
  }
  if (!existsSync(join(stateDir, "shim.sh")) || !existsSync(join(stateDir, "entry.sh")))
    return `the files that the hooks run are missing from the state dir: ${again}`;
  const [, entry = ""] = readFileSync(join(stateDir, "env"), "utf8").split("\n");
  const program = resolve(commonDir, entry);
  return existsSync(program) ? null : `the program that the hooks start is missing: ${again}`;
}
