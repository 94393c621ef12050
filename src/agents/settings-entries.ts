import { basename } from "node:path";
import { withSlashes } from "../platform/windows.js";
import { append, damagedSettings, parseSettings, remove, setMissing, valueAt } from "./jsonc.js";
import { PARAGRAPH_FILES, withoutParagraph } from "./paragraph.js";
import { isOurEntry, SETTINGS_FILES, type SettingsFile } from "./settings-files.js";

/** Adds, removes and finds our entries in a client's settings. Pure: text in, text out. */

export function withOurs(text: string | null, { base, entries }: SettingsFile, file: string): string {
  let wanted = text === null || text.trim() === "" ? "{}\n" : text;
  const settings = parseSettings(wanted, file);
  for (const [key, value] of Object.entries(base ?? {})) {
    if (!(key in settings)) wanted = setMissing(wanted, key, value);
  }
  for (const { path, value } of entries) wanted = withEntry(wanted, path, value, file);
  return wanted;
}

/** Replaces an older entry of ours; the same text if the entry is already correct. */
function withEntry(text: string, path: readonly string[], value: unknown, file: string): string {
  const found = ourEntryPaths(text, path);
  const is = found.map((place) => JSON.stringify(valueAt(text, [...path, ...place])));
  if (is.length === 1 && is[0] === JSON.stringify(value)) return text;
  for (const key of path.map((_, at) => path.slice(0, at + 1))) {
    const there = valueAt(text, key);
    const isFitting = key.length === path.length ? Array.isArray(there) : isObject(there);
    // A value of another type is not replaced.
    if (there !== undefined && !isFitting) throw damagedSettings(`${key.join(".")} in ${file}`);
  }
  return append(withoutEntries(text, path), path, value);
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Positions of our entries in a list: `[index]`, or `[index, "hooks", inner]` in a group with other entries. */
function ourEntryPaths(text: string, path: readonly string[]): (string | number)[][] {
  const list = valueAt(text, path);
  if (!Array.isArray(list)) return [];
  return list.flatMap((group: unknown, index) => {
    const inside = isObject(group) ? (group as { hooks?: unknown }).hooks : undefined;
    if (!Array.isArray(inside)) return isOurEntry(group) ? [[index]] : [];
    const ours = inside.flatMap((hook, inner) => (isOurEntry(hook) ? [inner] : []));
    return ours.length === inside.length && ours.length > 0 ? [[index]] : ours.map((inner) => [index, "hooks", inner]);
  });
}

/** Removes our entries from one list, and lists and objects that are empty then. */
function withoutEntries(text: string, path: readonly string[]): string {
  const places = ourEntryPaths(text, path);
  let rest = places.reverse().reduce((left, place) => remove(left, [...path, ...place]), text);
  for (let depth = path.length; rest !== text && depth > 0; depth--) {
    const value = valueAt(rest, path.slice(0, depth));
    if (typeof value !== "object" || value === null || Object.keys(value).length > 0) break;
    rest = remove(rest, path.slice(0, depth));
  }
  return rest;
}

/** The same text if there is no entry of ours, or if the whole file is ours (a plugin, a skill). */
export function withoutOurs(text: string, file: string): string {
  if (PARAGRAPH_FILES.includes(basename(file))) return withoutParagraph(text);
  const place = settingsFileOf(file);
  if (place === undefined) return text;
  parseSettings(text, file);
  return place.entries.reduce((rest, { path }) => withoutEntries(rest, path), text);
}

export function hasOurs(text: string, file: string): boolean {
  return withoutOurs(text, file) !== text;
}

/** Whether the file has only what a new file starts with: then it is removed with our part. */
export function isBare(text: string, file: string): boolean {
  if (text.trim() === "") return true;
  const base = settingsFileOf(file)?.base ?? {};
  if (!/\.jsonc?$/.test(file)) return false;
  return Object.entries(parseSettings(text, file)).every(([key, value]) => base[key] === value);
}

function settingsFileOf(file: string): SettingsFile | undefined {
  const path = withSlashes(file);
  return [...SETTINGS_FILES.values()].find((one) => path.endsWith(`/${one.file}`) || path.endsWith(`/${one.shared}`));
}
