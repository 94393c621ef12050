// THIRD-PARTY-NOTICES: whose code went into dist/, under which license.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./bundle.mjs";

/** `node_modules/@a/b/c.js` is of `node_modules/@a/b`; of nested ones the last. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** In a package that carries the grammars of others without their licenses. */
const SWIFT = {
  name: "tree-sitter-swift",
  version: "0.4",
  license: "MIT",
  file: "scripts/licenses/tree-sitter-swift.txt",
};

/** The folders of the packages that these files are of; what is ours is left out. */
function packagesOf(files) {
  const theirs = files.filter((file) => file.startsWith("node_modules/"));
  return [...new Set(theirs.map((file) => PACKAGE.exec(file)?.[0]))].sort();
}

export function notices(files) {
  const found = packagesOf(files).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined || license === undefined) throw new Error(`${name} says nothing of its license`);
    return { name, version, license, file: join(folder, file) };
  });
  const all = [...found, SWIFT].sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = all.map(({ name, version, license, file }) => {
    const text = readFileSync(join(root, file), "utf8").replaceAll("\r\n", "\n").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return ["ua-hooks contains code of these packages.\n", ...parts].join(`\n${"-".repeat(80)}\n\n`);
}
