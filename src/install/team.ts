import { existsSync, lstatSync } from "node:fs";
import { basename, join } from "node:path";
import type { Ask } from "../hook-managers/environment.js";
import type { FileStep } from "../hook-managers/plan.js";
import { FINGERPRINTS, GRAPH, META } from "../knowledge/artefacts.js";
import type { Project } from "../repository/locate.js";
import { readBytes } from "../store/files.js";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { packageFile } from "./runtime.js";

/**
 * Where the attributes for the merge driver are: in .gitattributes, for everyone, or in this clone's info/attributes,
 * which needs no confirmation. `found`: a teammate added them.
 */
export type TeamPlace = "shared" | "clone" | "found";

export interface TeamOptions {
  /** `--team` was given, now or at an earlier install. */
  wanted: boolean;
  mayWriteTracked: Ask;
}

export interface TeamPlan {
  place: TeamPlace | null;
  steps: FileStep[];
}

const MERGE = "ua-hooks merge";

/**
 * Artefacts that are committed: git merges them with our driver, which is registered in this clone. A clone without the
 * registration uses git's text merge, as before.
 */
export async function planTeam(project: Project, { wanted, mayWriteTracked }: TeamOptions): Promise<TeamPlan> {
  if (project.root === null) return { place: null, steps: [] }; // a bare repository's artefacts are not committed
  const place = await placeFor(project.root, { wanted, mayWriteTracked });
  if (place === null) return { place, steps: [] };
  return { place, steps: [...attributeSteps(project, project.root, place), ...driverSteps(project)] };
}

async function placeFor(root: string, { wanted, mayWriteTracked }: TeamOptions): Promise<TeamPlace | null> {
  const file = join(root, ".gitattributes");
  if (hasBlock(readBytes(file))) return "found";
  if (!wanted) return null;
  // git ignores a .gitattributes that is a symbolic link.
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return !isLink &&
    (await mayWriteTracked(file, "adds the merge driver's lines; a clone without ua-hooks merges as before"))
    ? "shared"
    : "clone";
}

function attributeSteps(project: Project, root: string, place: TeamPlace): FileStep[] {
  const local = join(project.commonDir, "info", "attributes");
  if (place === "found") return [];
  const dir = basename(project.dataDir);
  const names = [GRAPH, FINGERPRINTS, META].map((name) => `/${dir}/${name} merge=ua-hooks`);
  const block = markedBlock(["# `ua-hooks install` enables the merge driver in a new clone", ...names]);
  if (place === "clone") return [blockStep(local, block, "merge driver set for this clone's artefacts")];
  const shared = blockStep(join(root, ".gitattributes"), block, "merge driver set for the team's artefacts");
  return [shared, ...withoutSteps(local, "merge driver set in .gitattributes")];
}

/** git runs this with sh at the top of a worktree; it finds the script from there, so that the repository can move. */
const COMMAND =
  'd=$(git rev-parse --git-common-dir)/ua-hooks/merge.sh; if [ -f "$d" ]; then sh "$d" %O %A %B %P; ' +
  "else git merge-file -L ours -L base -L theirs %A %O %B; fi";

function driverSteps({ stateDir, commonDir }: Project): FileStep[] {
  const section = [
    '[merge "ua-hooks"]',
    "\tname = merge knowledge graphs by id",
    // Quoted: outside of quotes `;` starts a comment (git-config(1), "Syntax").
    `\tdriver = "${COMMAND.replaceAll('"', '\\"')}"`,
  ];
  return [
    mergeScript(stateDir),
    blockStep(join(commonDir, "config"), markedBlock(section, MERGE), "merge driver registered in this clone", MERGE),
  ];
}

const mergeScript = (stateDir: string): FileStep => ({
  ...{ file: join(stateDir, "merge.sh"), what: "the script that git runs to merge artefacts" },
  ...{ text: packageFile("hooks", "merge.sh"), mode: 0o600 },
});

/** For an upgrade: the script and the program that it starts are of one version. */
export function newMergeScript({ stateDir }: Project): FileStep[] {
  return existsSync(join(stateDir, "merge.sh")) ? [mergeScript(stateDir)] : [];
}

function blockStep(file: string, block: string, what: string, name?: string): FileStep {
  return { file, what, text: Buffer.from(withBlockLast(readBytes(file), block, name), "latin1") };
}

function withoutSteps(file: string, what: string, name?: string): FileStep[] {
  const text = readBytes(file);
  if (!hasBlock(text, name)) return [];
  const rest = withoutBlock(text, name);
  return [{ file, what, text: rest === "" ? null : Buffer.from(rest, "latin1") }];
}

/** Removes what this clone's install wrote; a block that a teammate committed to .gitattributes stays. */
export function teamUninstallSteps(project: Project, place: TeamPlace | null): FileStep[] {
  const { commonDir, stateDir, root } = project;
  const script = join(stateDir, "merge.sh");
  return [
    ...withoutSteps(join(commonDir, "config"), "merge driver unregistered", MERGE),
    ...withoutSteps(join(commonDir, "info", "attributes"), "merge driver removed from this clone's attributes"),
    ...(place === "shared" && root !== null
      ? withoutSteps(join(root, ".gitattributes"), "merge driver removed from the team's attributes")
      : []),
    ...(existsSync(script) ? [{ file: script, what: "the merge script removed", text: null }] : []),
  ];
}

export function teamPlace(db: Db, project: Project): TeamPlace | null {
  return readSetting(db, SETTINGS.team, project.scope);
}

export function saveTeamPlace(db: Db, project: Project, place: TeamPlace | null): void {
  // A block that this clone wrote is `found` at the next install, and uninstall still removes it.
  if (place !== "found" || teamPlace(db, project) === null) writeSetting(db, SETTINGS.team, place, project.scope);
}
