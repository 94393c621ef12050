// `node scripts/release-notes.mjs v1.2.3` prints the section of CHANGELOG.md for that version. It fails if the tag is not the
// version of package.json, or if there is no such section, or if it still says "unreleased".
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const [, , tag = ""] = process.argv;
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^(?=## )/m);
const section = sections.find((text) => /^## (\S+?),? /.exec(text)?.[1] === version);

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (tag !== `v${version}`) fail(`the tag is ${tag}, package.json has version ${version}`);
if (section === undefined) fail(`CHANGELOG.md has no section "## ${version}, <date>"`);
if (/^## .*unreleased/.test(section)) fail(`CHANGELOG.md calls ${version} unreleased: write the date`);
process.stdout.write(`${section.replace(/^## .*\n+/, "").trim()}\n`);
