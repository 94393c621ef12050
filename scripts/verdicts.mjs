// Checks verdicts on real history by another program: `node scripts/verdicts.mjs [--write] <changes per repository> <clone> …`.
// Of each changed file of the newest commits the text before and after is stripped of comments by the small lexers below,
// which share nothing with ours, and of white space and of punctuation that can be optional. What the product calls
// `cosmetic` must then be equal. Prints a line for each verdict that the texts contradict, and a table; --write: also into
// bench/verdicts.json and docs/benchmarks.md. Needs dist/.
import { execFileSync, spawnSync } from "node:child_process";
import { basename, extname } from "node:path";
import { compareFingerprints, fingerprintText } from "../dist/index.js";
import { storeAndWrite } from "./page.mjs";
import { verdictsText } from "./parts/verdicts.mjs";

const isWritten = process.argv.includes("--write");
const [most = "200", ...clones] = process.argv.slice(2).filter((one) => one !== "--write");

const QUOTED = String.raw`"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'`;
const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
/** Strings, which stay, and then comments, which go. */
const family = (strings, comments) => new RegExp(`(${strings})|${comments}`, "g");
const CHARACTER = String.raw`'(?:\\[^\n]{1,8}|[^'\\\n])'`;
const c = family(`"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"|${CHARACTER}`, SLASHES);
const multiline = family(String.raw`"""[\s\S]*?"""+|"(?:\\[\s\S]|[^"\\\n])*"|` + CHARACTER, SLASHES);
const javascript = family(
  String.raw`\`(?:\\[\s\S]|[^\`\\])*\`|${QUOTED}|(?<=[=(,:;!&|?{}\[]\s*|^\s*|return\s+)\/(?![*\/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[])+\/`,
  SLASHES,
);
/** The first string of a file or of what a colon opens; a body may have `pass` in its place. */
const DOCSTRING = String.raw`(?<=:[^\S\n]*(?:#[^\n]*)?\n\s*|(?<![\s\S])(?:\s|#[^\n]*\n)*)[rRuU]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')[^\S\n]*$|\bpass\b`;
const LEXERS = {
  ...{ ".ts": javascript, ".tsx": javascript, ".js": javascript, ".mjs": javascript },
  ...{ ".c": c, ".h": c, ".cc": c, ".cpp": c, ".rs": c },
  ".cs": family(String.raw`"""[\s\S]*?"""|@"(?:""|[^"])*"|"(?:\\[\s\S]|[^"\\\n])*"|` + CHARACTER, SLASHES),
  ".go": family(`\`[^\`]*\`|${QUOTED}`, SLASHES),
  ...{ ".java": multiline, ".kt": multiline, ".scala": multiline, ".swift": multiline },
  ".php": family(QUOTED.replaceAll("\\n", ""), `${SLASHES}|#(?!\\[)[^\\n]*`),
  ".py": new RegExp(String.raw`${DOCSTRING}|("""[\s\S]*?"""|'''[\s\S]*?'''|${QUOTED})|#[^\n]*`),
  ".rb": family(QUOTED, "^=begin[\\s\\S]*?^=end|(?<=^|\\s)#[^\\n]*"),
  ".lua": family(String.raw`(?<!-)\[(=*)\[[\s\S]*?\]\2\]|` + QUOTED, String.raw`--\[(=*)\[[\s\S]*?\]\3\]|--[^\n]*`),
  ...{ ".sh": family(QUOTED.replaceAll("\\n", ""), "(?<=^|[\\s;])#[^\\n]*") },
};
for (const [ending, lexer] of Object.entries(LEXERS)) LEXERS[ending] = new RegExp(lexer.source, "gm");

/** Punctuation that can come and go with no effect; the product knows better where, this program does not. */
const OPTIONAL = /[\s()[\]{}<>;,'"`\\|]/g;

const strip = (text, lexer) =>
  text
    .replace(/^\uFEFF/, "")
    .replace(lexer, (_, string) => string ?? " ")
    .replace(OPTIONAL, "");

/** Modified files of the newest commits: `:100644 100644 <old> <new> M\0path\0` in what `git log --raw -z` prints. */
function changesOf(clone) {
  const args = ["-C", clone, "log", "--no-merges", "--no-renames", "--raw", "-z", "--no-abbrev", "--format=", "-n4000"];
  const out = execFileSync("git", args, { encoding: "utf8", maxBuffer: 1 << 30 });
  const found = [];
  for (const [, before, after, path] of out.matchAll(/:100\d+ 100\d+ (\w+) (\w+) M\0([^\0]+)\0/g)) {
    if (LEXERS[extname(path)] !== undefined) found.push({ before, after, path });
    if (found.length >= Number(most)) break;
  }
  return found;
}

function readBlobs(clone, oids) {
  const { stdout } = spawnSync("git", ["-C", clone, "cat-file", "--batch"], {
    input: oids.join("\n"),
    maxBuffer: 1 << 30,
  });
  const blobs = new Map();
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(10, at);
    const [oid, type, size] = stdout.toString("utf8", at, end).split(" ");
    if (type !== "blob") {
      at = end + 1; // `<oid> missing`
      continue;
    }
    blobs.set(oid, stdout.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return blobs;
}

const NOTHING = { none: 0, cosmetic: 0, body: 0, behaviour: 0, interface: 0, wrong: 0, stricter: 0 };
const totals = new Map();
for (const clone of clones) {
  const changes = changesOf(clone);
  const blobs = readBlobs(clone, [...new Set(changes.flatMap(({ before, after }) => [before, after]))]);
  for (const { before, after, path } of changes) {
    const [old, now] = [blobs.get(before), blobs.get(after)];
    if (old === undefined || now === undefined || old.includes(0) || now.includes(0)) continue;
    const [was, is] = await Promise.all([old, now].map((blob) => fingerprintText(path, blob)));
    const { drift } = compareFingerprints(was, is);
    const lexer = LEXERS[extname(path)];
    const isEqual = strip(old.toString("utf8"), lexer) === strip(now.toString("utf8"), lexer);
    const total = totals.get(extname(path)) ?? { ...NOTHING };
    totals.set(extname(path), total);
    total[drift]++;
    if (isEqual && drift !== "cosmetic" && drift !== "none") total.stricter++;
    if (isEqual || (drift !== "cosmetic" && drift !== "none")) continue;
    total.wrong++;
    console.log(`${drift}, but the texts differ: ${path} ${before.slice(0, 12)} ${after.slice(0, 12)}`);
  }
}
const repositories = clones.map((clone) => ({
  name: basename(clone).replace("+", "/"),
  commit: execFileSync("git", ["-C", clone, "rev-parse", "HEAD"], { encoding: "utf8" }).trim(),
}));
const found = { most: Number(most), repositories, endings: Object.fromEntries([...totals].sort()) };
process.stdout.write(verdictsText(found));
if (isWritten) storeAndWrite("verdicts", found);
