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
 * Where the attributes that name the merge driver are: in .gitattributes, for everyone, or in this clone's
 * info/attributes, which needs nobody's leave. `found`: somebody of the team put them there.
 */
export type TeamPlace = "shared" | "clone" | "found";

export interface TeamPlan {
  place: TeamPlace | null;
  steps: FileStep[];
}

const MERGE = "ua-hooks merge";

/**
 * Artefacts that are meant to be committed: git is told to merge them with our driver, and the driver is registered in
 * this clone. A clone without the registration falls back to git's text merge, so teammates without us lose nothing.
 */
export async function planTeam(project: Project, wanted: boolean, mayWriteTracked: Ask): Promise<TeamPlan> {
  if (project.root === null) return { place: null, steps: [] }; // a bare repository's artefacts are not committed
  const place = await placeFor(project.root, wanted, mayWriteTracked);
  if (place === null) return { place, steps: [] };
  return { place, steps: [...attributeSteps(project, project.root, place), ...driverSteps(project)] };
}

async function placeFor(root: string, wanted: boolean, mayWriteTracked: Ask): Promise<TeamPlace | null> {
  const file = join(root, ".gitattributes");
  if (hasBlock(readBytes(file))) return "found";
  if (!wanted) return null;
  // git itself ignores a .gitattributes that is a link.
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return !isLink && (await mayWriteTracked(file, "the merge driver's lines; without ua-hooks git merges as before"))
    ? "shared"
    : "clone";
}

function attributeSteps(project: Project, root: string, place: TeamPlace): FileStep[] {
  const local = join(project.commonDir, "info", "attributes");
  if (place === "found") return [];
  const dir = basename(project.dataDir);
  const names = [GRAPH, FINGERPRINTS, META].map((name) => `/${dir}/${name} merge=ua-hooks`);
  const block = markedBlock(["# `npx ua-hooks install` switches it on in a fresh clone", ...names]);
  if (place === "clone") return [blockStep(local, block, "merge driver named for this clone's artefacts")];
  const shared = blockStep(join(root, ".gitattributes"), block, "merge driver named for the team's artefacts");
  return [shared, ...withoutSteps(local, "merge driver named in .gitattributes now")];
}

/** What git runs, through sh, at the top of a worktree: found from where git is, so that the repository can move. */
const COMMAND =
  'd=$(git rev-parse --git-common-dir)/ua-hooks/merge.sh; if [ -f "$d" ]; then sh "$d" %O %A %B %P; ' +
  "else git merge-file -L ours -L base -L theirs %A %O %B; fi";

function driverSteps({ stateDir, commonDir }: Project): FileStep[] {
  const section = [
    '[merge "ua-hooks"]',
    "\tname = knowledge graphs and their kin, merged by id",
    // A quoted value: outside of quotes `;` starts a comment (git-config(1), "Syntax").
    `\tdriver = "${COMMAND.replaceAll('"', '\\"')}"`,
  ];
  return [
    {
      ...{ file: join(stateDir, "merge.sh"), what: "what git runs to merge artefacts" },
      ...{ text: packageFile("hooks", "merge.sh"), mode: 0o600 },
    },
    blockStep(join(commonDir, "config"), markedBlock(section, MERGE), "merge driver registered in this clone", MERGE),
  ];
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

/** What this clone's install wrote goes; a block that the team has in .gitattributes is the team's. */
export function teamUninstallSteps(project: Project, place: TeamPlace | null): FileStep[] {
  const { commonDir, stateDir, root } = project;
  const script = join(stateDir, "merge.sh");
  return [
    ...withoutSteps(join(commonDir, "config"), "merge driver no longer registered", MERGE),
    ...withoutSteps(join(commonDir, "info", "attributes"), "merge driver no longer named"),
    ...(place === "shared" && root !== null
      ? withoutSteps(join(root, ".gitattributes"), "merge driver no longer named for the team's artefacts")
      : []),
    ...(existsSync(script) ? [{ file: script, what: "what git ran to merge artefacts", text: null }] : []),
  ];
}

export function teamPlace(db: Db, project: Project): TeamPlace | null {
  return readSetting(db, SETTINGS.team, project.scope);
}

export function saveTeamPlace(db: Db, project: Project, place: TeamPlace | null): void {
  // What we wrote ourselves is found at the next install, and is still ours to take out.
  if (place !== "found" || teamPlace(db, project) === null) writeSetting(db, SETTINGS.team, place, project.scope);
}
