// `node scripts/package-sizes.mjs`, after `npm run build`: packs the package, installs it in empty folders as npm does on each system, and
// writes the sizes into bench/package-sizes.json and docs/package.md. It fails if one is over its limit.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { storeAndWrite } from "./page.mjs";
import { PARTS, partOf } from "./parts/sizes.mjs";

const root = join(import.meta.dirname, "..");
const MB = 1_000_000;
const MOST_TARBALL = 4 * MB;

const SYSTEMS = [
  { name: "Linux, x64", flags: ["linux", "x64"], most: 30 * MB },
  { name: "macOS, arm64", flags: ["darwin", "arm64"], most: 20 * MB },
  { name: "Windows, x64", flags: ["win32", "x64"], most: 20 * MB },
];

function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function pack(into) {
  const flags = ["--ignore-scripts", "--json", "--pack-destination", into, "--loglevel=error"];
  return JSON.parse(npm(["pack", root, ...flags], into))[0];
}

function bytesIn(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function unpackedGrammars() {
  const dir = join(root, "dist/grammars");
  const files = readdirSync(dir).filter((name) => name.endsWith(".br"));
  const bytes = files.reduce((sum, name) => sum + brotliDecompressSync(readFileSync(join(dir, name))).length, 0);
  return { count: files.length - 1, bytes }; // one is tree-sitter itself
}

function partSizes(files) {
  const sizes = Object.fromEntries(Object.keys(PARTS).map((name) => [name, 0]));
  for (const { path, size } of files) sizes[partOf(path)] += size;
  return sizes;
}

/** What npm makes there of one package in an empty folder. `libc` is not named: npm installs both where a package does not say its own. */
function installed(base, tarball, { name, flags: [os, cpu], most }) {
  const dir = join(base, os);
  mkdirSync(dir);
  npm(
    ["install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", `--os=${os}`, `--cpu=${cpu}`, tarball],
    dir,
  );
  const modules = join(dir, "node_modules");
  const bytes = bytesIn(modules);
  const sqlite = bytesIn(join(modules, "@libsql"));
  if (bytes > most) throw new Error(`${name}: ${bytes} bytes are installed, more than ${most}`);
  return { name, bytes, sqlite, packages: readdirSync(join(modules, "@libsql")), most };
}

function measure(base) {
  const { filename, size, unpackedSize, files } = pack(base);
  if (size > MOST_TARBALL) throw new Error(`the tarball has ${size} bytes, more than ${MOST_TARBALL}`);
  return {
    parts: partSizes(files),
    tarball: { bytes: size, most: MOST_TARBALL, unpacked: unpackedSize, files: files.length },
    grammars: unpackedGrammars(),
    systems: SYSTEMS.map((system) => installed(base, join(base, filename), system)),
  };
}

const base = mkdtempSync(join(tmpdir(), "ua-hooks-sizes-"));
try {
  storeAndWrite("package-sizes", measure(base));
} finally {
  rmSync(base, { recursive: true, force: true });
}
