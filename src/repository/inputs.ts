import { join } from "node:path";

/**
 * The files that decide what is source and how it is compared. Listed here without their parsers: the freshness stamp
 * only needs their stat.
 */
const IGNORE_FILE = ".understandignore";
export const CONFIG_FILES = [".ua-hooksrc", ".ua-hooksrc.json", ".ua-hooksrc.yaml", ".ua-hooksrc.yml"];
export const PACKAGE_FILE = "package.json";

/** gitignore syntax; the later file wins. */
export function ignoreFiles(root: string | null, dataDir: string): string[] {
  return [join(dataDir, IGNORE_FILE), ...(root === null ? [] : [join(root, IGNORE_FILE)])];
}

export function configFiles(root: string | null): string[] {
  return root === null ? [] : [...CONFIG_FILES, PACKAGE_FILE].map((name) => join(root, name));
}

const OUR_FOLDERS = [".understand-anything/", ".ua/", ".agents/ua-hooks/"];
/** Where an earlier version put the plugin. */
const OUR_PLUGIN = ".opencode/plugins/ua-hooks.js";

/** Committing our own artefacts, or a program that install wrote for an agent, is not a change (invariant "no self-triggering"). */
export function isOurs(path: string): boolean {
  return OUR_FOLDERS.some((folder) => path.startsWith(folder)) || path === OUR_PLUGIN;
}
