import { join } from "node:path";
import type { FileStep } from "../hook-managers/plan.js";
import { isLink, readBytes } from "../store/files.js";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";

/**
 * On Windows agents run their hooks in other shells than sh, and often only git is on PATH. So their settings name an alias of git in the
 * clone's own config, which git runs with its own sh.
 */
export const ALIAS = "ua-hooks-agent";
const NAME = "ua-hooks agents";
const LINES = ["[alias]", `\t${ALIAS} = "!sh \\"$(git rev-parse --git-common-dir)/ua-hooks/agent.sh\\""`];

const configOf = (commonDir: string) => join(commonDir, "config");

export function aliasSteps(commonDir: string): FileStep[] {
  const file = configOf(commonDir);
  if (isLink(file)) return []; // other repositories may include it
  const text = withBlockLast(readBytes(file), markedBlock(LINES, NAME), NAME);
  return [{ file, what: "an alias for agents added to git's config", text: Buffer.from(text, "latin1") }];
}

export function unaliasSteps(commonDir: string): FileStep[] {
  const file = configOf(commonDir);
  const text = readBytes(file);
  if (!hasBlock(text, NAME)) return [];
  return [{ file, what: "the alias for agents removed", text: Buffer.from(withoutBlock(text, NAME), "latin1") }];
}
