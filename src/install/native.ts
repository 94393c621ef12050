import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { UaError } from "../errors.js";
import { git } from "../git/run.js";
import type { Project } from "../project/locate.js";
import type { Step } from "./plan.js";
import { hasBlock, withBlock, withoutBlock } from "./text.js";

export const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"] as const;

/** What a hook that is no shell script is called while ours stands in front of it. */
const CHAINED = ".before-ua-hooks";
const SHEBANG = "#!/bin/sh\n";
const RUN_CHAINED = `if [ -x "$0${CHAINED}" ]; then exec "$0${CHAINED}" "$@"; fi\n`;

/**
 * core.hooksPath as the user has it. `--show-scope` prints `local\t/path` a line, the winning one last; scope
 * `command` is our own (git/run.ts hides all hooks from our calls).
 */
async function configuredHooksPath(project: Project): Promise<string | null> {
  const args = ["config", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const lines = (await git(project.view.path, args, { ok: [1] })).toString("utf8").split("\n");
  const values = lines
    .filter((line) => line !== "" && !line.startsWith("command\t"))
    .map((line) => line.split("\t", 2)[1]);
  const value = values.at(-1);
  return value === undefined || value === "" ? null : resolve(project.view.path, value);
}

export async function nativeInstallSteps(project: Project, blockTemplate: string): Promise<Step[]> {
  const dir = await nativeDir(project);
  return EVENTS.flatMap((event) => installSteps(join(dir, event), blockTemplate.replaceAll("@event@", event)));
}

export async function nativeUninstallSteps(project: Project): Promise<Step[]> {
  const dir = await nativeDir(project);
  return EVENTS.flatMap((event) => uninstallSteps(join(dir, event)));
}

/** A hooks folder outside the repository serves others too, and a manager's own folder is rewritten by it. */
export async function nativeDir(project: Project): Promise<string> {
  const configured = await configuredHooksPath(project);
  const own = join(project.commonDir, "hooks");
  if (configured === null || configured === own || configured.startsWith(project.commonDir + sep))
    return configured ?? own;
  throw new UaError(
    "refused",
    `core.hooksPath is ${configured}, which a hook manager or other repositories use`,
    'unset it for this repository (git config core.hooksPath "$(git rev-parse --git-common-dir)/hooks"), then install again',
  );
}

function installSteps(file: string, block: string): Step[] {
  const event = file.slice(file.lastIndexOf(sep) + 1);
  const fresh = SHEBANG + block;
  const link = lstatSync(file, { throwIfNoEntry: false });
  if (link === undefined) return [{ file, what: `${event}: new hook file`, text: fresh, mode: 0o755 }];
  const text = link.isFile() ? readFileSync(file, "latin1") : "";
  if (link.isFile() && isShellScript(text) && isRunnable(file)) {
    const wanted = withBlock(text, Buffer.from(block).toString("latin1"), afterShebang(text));
    if (wanted === text) return [];
    const what = hasBlock(text) ? `${event}: block brought up to date` : `${event}: block added to the existing hook`;
    return [{ file, what, text: Buffer.from(wanted, "latin1"), mode: statSync(file).mode & 0o777 }];
  }
  // Another program, a link, or a script that git does not run: it keeps its own file, and its run bit decides.
  return [
    { file, what: `${event}: existing hook kept as ${event}${CHAINED}`, moveTo: file + CHAINED },
    { file, what: `${event}: new hook file that runs it`, text: fresh + RUN_CHAINED, mode: 0o755 },
  ];
}

function uninstallSteps(file: string): Step[] {
  const event = file.slice(file.lastIndexOf(sep) + 1);
  if (!existsSync(file) || !lstatSync(file).isFile()) return [];
  const text = readFileSync(file, "latin1");
  if (!hasBlock(text)) return [];
  const rest = withoutBlock(text);
  if (rest === SHEBANG) return [{ file, what: `${event}: hook file removed`, text: null }];
  if (rest === SHEBANG + RUN_CHAINED) {
    const chained = file + CHAINED;
    const gone: Step = { file, what: `${event}: our hook file removed`, text: null };
    if (lstatSync(chained, { throwIfNoEntry: false }) === undefined) return [gone];
    return [gone, { file: chained, what: `${event}: the hook that was there is back`, moveTo: file }];
  }
  const mode = statSync(file).mode & 0o777;
  return [{ file, what: `${event}: block taken out`, text: Buffer.from(rest, "latin1"), mode }];
}

/** No shebang is a shell script too: git hands such a file to sh. */
function isShellScript(text: string): boolean {
  if (!text.startsWith("#!")) return !text.includes("\0");
  return /^#!.*\b(ba|da|a|k|z)?sh\b/.test(text.split("\n", 1)[0] ?? "");
}

function isRunnable(file: string): boolean {
  return (statSync(file).mode & 0o111) !== 0;
}

function afterShebang(text: string): number {
  if (!text.startsWith("#!")) return 0;
  const newline = text.indexOf("\n");
  return newline < 0 ? text.length : newline + 1;
}
