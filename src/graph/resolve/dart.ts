import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, joinInside, nearest } from "./file-index.js";
import { lazily } from "./memo.js";

/** Dart: a path from the file, or `package:name/path` in the `lib` of the package of that name in this project. */
export const dart: MakeFamily = (index, readText) => {
  const packages = lazily(() =>
    index.files
      .filter((path) => baseOf(path) === "pubspec.yaml")
      .map((path) => ({ dir: dirOf(path), name: /^name:\s*["']?([\w]+)/m.exec(readText(path) ?? "")?.[1] })),
  );
  const existing = (path: string | undefined) => (path !== undefined && index.has(path) ? [path] : []);
  return {
    resolve({ from, source }) {
      const [, name, inside = ""] = /^package:(\w+)\/(.+)$/.exec(source) ?? [];
      if (name === undefined) return /^\w+:/.test(source) ? [] : existing(joinInside(dirOf(from), source));
      const found = packages().filter((one) => one.name === name);
      return nearest(
        from,
        found.flatMap(({ dir }) => existing(joinInside(dir, `lib/${inside}`))),
      );
    },
  };
};
