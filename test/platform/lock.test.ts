import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../support/repo.js";

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  os?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(join(root, "package-lock.json"), "utf8");
const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };

/** As Node looks a package up: from the folder of the one that needs it, upwards. */
function lockedFor(path: string, name: string): Locked | undefined {
  for (let folder = path; ; ) {
    const found = packages[`${folder}${folder === "" ? "" : "/"}node_modules/${name}`];
    if (found !== undefined || folder === "") return found;
    folder = folder.includes("/node_modules/") ? folder.slice(0, folder.lastIndexOf("/node_modules/")) : "";
  }
}

test("the lock has a checksum for each package and names no registry: `npm ci` works with any", () => {
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  assert.ok(entries.length > 100);
  assert.deepEqual(
    entries.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path),
    [],
  );
  assert.doesNotMatch(text, /"resolved"|https?:\/\/[^"]*\.tgz/);
});

test("the lock has the packages of every system: a contributor's may be another one than where the lock was made", () => {
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => lockedFor(path, name) === undefined)
      .map((name) => `${path || "package.json"} needs ${name}`),
  );
  assert.deepEqual(missing, []);
  const systems = new Set(Object.values(packages).flatMap(({ os }) => os ?? []));
  for (const system of ["linux", "darwin", "win32"]) assert.ok(systems.has(system), system);
});
