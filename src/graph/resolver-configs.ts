import { byText } from "./order.js";
import { baseOf } from "./resolve/file-index.js";

const configName = /^(?:[tj]sconfig.*\.json|package\.json|go\.mod|Cargo\.toml|composer\.json|pubspec\.yaml)$/;

/** The config files that the resolver reads. */
export function resolverConfigFiles(files: Iterable<string>): string[] {
  return [...files].filter((path) => configName.test(baseOf(path))).sort(byText);
}
