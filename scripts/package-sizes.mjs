// `node scripts/package-sizes.mjs`, after `npm run build`: packs the package, installs it in empty folders as npm does on each system, and
// writes the sizes into docs/package.md. It fails if one is over its limit.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs/package.md");
const MB = 1_000_000;
const MOST_TARBALL = 4 * MB;

const PARTS = [
  [
    "`dist/{hook,agent,cli}*.cjs`",
    "what git, agents and people start: small files",
    /^dist\/(hook|agent|cli)(-main)?\.cjs$/,
  ],
  ["`dist/verify.cjs`", "what git waits for in the foreground", /^dist\/verify\.cjs$/],
  ["`dist/program.cjs`", "everything else that these load later", /^dist\/program\.cjs$/],
  ["`dist/mcp.cjs`", "the MCP server and its SDK", /^dist\/mcp\.cjs$/],
  ["`dist/worker.cjs`", "a thread that parses", /^dist\/worker\.cjs$/],
  ["`dist/grammars/`", "tree-sitter, and @grammars@ grammars, compressed (@unpacked@ unpacked)", /^dist\/grammars\//],
  ["`dist/index*.js`, `dist/types/`", "the library ([api](api.md))", /^dist\/(index.*\.js|types\/.*)$/],
  ["`dist/report.js`", "the program of the report's page", /^dist\/report\.js$/],
  [
    "`dist/THIRD-PARTY-NOTICES`",
    "the packages and grammars that are bundled, with their licenses; made by the build",
    /^dist\/THIRD-PARTY-NOTICES$/,
  ],
  [
    "`hooks/`, `templates/`, `schemas/`",
    "shell scripts, and every text that `install` writes",
    /^(hooks|templates|schemas)\//,
  ],
  ["the rest", "four pages and package.json", /^[^/]+$/],
];

/** `before`: with `dependencies` and grammars that were not compressed. */
const SYSTEMS = [
  { name: "Linux, x64", flags: ["linux", "x64"], most: 30, before: "56.4 MB in 25 folders" },
  { name: "macOS, arm64", flags: ["darwin", "arm64"], most: 20, before: "44.6 MB in 25 folders" },
  { name: "Windows, x64", flags: ["win32", "x64"], most: 20, before: "no SQLite" },
];

const size = (bytes) => (bytes < MB ? `${Math.round(bytes / 1000)} KB` : `${(bytes / MB).toFixed(1)} MB`);
const line = (cells) => `| ${cells.join(" | ")} |\n`;

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

function partsTable({ files }) {
  const { count, bytes } = unpackedGrammars();
  const rows = PARTS.map(([part, about, pattern]) => {
    const own = files.filter(({ path }) => pattern.test(path));
    const sum = own.reduce((total, file) => total + file.size, 0);
    return line([part, about.replace("@grammars@", count).replace("@unpacked@", size(bytes)), size(sum)]);
  });
  const left = files.filter(({ path }) => !PARTS.some(([, , pattern]) => pattern.test(path)));
  if (left.length > 0) throw new Error(`no part has ${left.map(({ path }) => path).join(", ")}`);
  return line(["part", "about", "size"]) + line(["---", "---", "---"]) + rows.join("");
}

/** What npm makes there of one package in an empty folder. `libc` is not named: npm installs both where a package does not say its own. */
function installed(base, tarball, { name, flags: [os, cpu], most, before }) {
  const dir = join(base, os);
  mkdirSync(dir);
  npm(
    ["install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", `--os=${os}`, `--cpu=${cpu}`, tarball],
    dir,
  );
  const modules = join(dir, "node_modules");
  const bytes = bytesIn(modules);
  const sqlite = bytesIn(join(modules, "@libsql"));
  if (bytes > most * MB) throw new Error(`${name}: ${size(bytes)} are installed, more than ${most} MB`);
  const about = readdirSync(join(modules, "@libsql")).map((folder) => `\`${folder}\``);
  return {
    rest: bytes - sqlite,
    row: line([name, before, size(bytes), `${size(sqlite)}: ${about.join(", ")}`, `${most} MB`]),
  };
}

function text(base) {
  const packed = pack(base);
  if (packed.size > MOST_TARBALL) throw new Error(`the tarball has ${size(packed.size)}`);
  const tarball = join(base, packed.filename);
  const systems = SYSTEMS.map((system) => installed(base, tarball, system));
  return [
    partsTable(packed),
    `The tarball has ${size(packed.size)} (limit ${size(MOST_TARBALL)}; before, 3.9 MB), ${size(packed.unpackedSize)} unpacked, in ${packed.files.length} files. Installed:\n`,
    line(["system", "before", "now", "of this, SQLite for Node 20", "limit"]) +
      line(["---", "---", "---", "---", "---"]) +
      systems.map(({ row }) => row).join(""),
    `Node 22.13 and later have SQLite built in, and do without the optional packages \`@libsql/*\`: with \`npm install --omit=optional\` all of it has ${size(systems[0].rest)}.\n`,
  ].join("\n");
}

const base = mkdtempSync(join(tmpdir(), "ua-hooks-sizes-"));
try {
  const [start, end] = ["<!-- sizes -->\n\n", "\n<!-- /sizes -->"];
  const before = readFileSync(page, "utf8");
  const [head, rest] = before.split(start);
  writeFileSync(page, `${head}${start}${text(base)}${rest.slice(rest.indexOf(end))}`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
