// What scripts/package-sizes.mjs measured, as docs/package.md shows it.
import { table } from "./table.mjs";

const MB = 1_000_000;
const size = (bytes) => (bytes < MB ? `${Math.round(bytes / 1000)} KB` : `${(bytes / MB).toFixed(1)} MB`);

/** The parts of the package: which files, how the page names them, and what they are for. */
export const PARTS = {
  programs: [
    /^dist\/(hook|agent|cli)(-main)?\.cjs$/,
    "`dist/{hook,agent,cli}*.cjs`",
    "what git, agents and people start: small files",
  ],
  verify: [/^dist\/verify\.cjs$/, "`dist/verify.cjs`", "what git waits for in the foreground"],
  quick: [/^dist\/quick\.cjs$/, "`dist/quick.cjs`", "the commands that are run often: `record`, `registry`, `share`"],
  program: [/^dist\/program\.cjs$/, "`dist/program.cjs`", "everything else that these load later"],
  globs: [/^dist\/globs\.cjs$/, "`dist/globs.cjs`", "picomatch, for configs with globs"],
  mcp: [/^dist\/mcp\.cjs$/, "`dist/mcp.cjs`", "the MCP server and its SDK"],
  worker: [/^dist\/worker\.cjs$/, "`dist/worker.cjs`", "a thread that parses"],
  grammars: [/^dist\/grammars\//, "`dist/grammars/`", "tree-sitter and its grammars, compressed"],
  library: [
    /^dist\/(index.*\.js|types\/.*)$/,
    "`dist/index*.js`, `dist/types/`",
    "the library ([api](api.md)) and its types",
  ],
  report: [/^dist\/report\.js$/, "`dist/report.js`", "the program of the report's page"],
  notices: [
    /^dist\/THIRD-PARTY-NOTICES$/,
    "`dist/THIRD-PARTY-NOTICES`",
    "the licenses of what is bundled; made by the build",
  ],
  scripts: [
    /^(hooks|templates|schemas)\//,
    "`hooks/`, `templates/`, `schemas/`",
    "shell scripts, and every text that `install` writes",
  ],
  docs: [/^docs\//, "`docs/`", "these pages"],
  rest: [/^[^/]+$/, "the rest", "four more pages and package.json"],
};

export function partOf(path) {
  const found = Object.keys(PARTS).find((name) => PARTS[name][0].test(path));
  if (found === undefined) throw new Error(`no part of the package has ${path}`);
  return found;
}

/** The commit before what we use was bundled and the grammars compressed, measured in the same way. It had 5 dependencies. */
const BEFORE = {
  commit: "d2db5ed",
  tarball: { bytes: 3_686_758, unpacked: 32_563_713, files: 191 },
  installed: { "Linux, x64": 53_952_800, "macOS, arm64": 42_163_400, "Windows, x64": 34_324_500 },
};

export function sizesText({ parts, tarball, grammars, systems }) {
  const of = (name) => [...PARTS[name].slice(1), size(parts[name])];
  const installed = systems.map(({ name, bytes, sqlite, packages, most }) => [
    ...[
      name,
      size(bytes),
      `${size(sqlite)}: ${packages.map((one) => `\`${one}\``).join(", ")}`,
      size(most),
      size(BEFORE.installed[name]),
    ],
  ]);
  const [{ bytes, sqlite }] = systems;
  return `${table(["part", "about", "size"], Object.keys(parts).map(of))}
The tarball has ${size(tarball.bytes)} (limit ${size(tarball.most)}), ${size(tarball.unpacked)} unpacked, in ${tarball.files} files. Before what we use was bundled and the grammars compressed (commit \`${BEFORE.commit}\`), it had ${size(BEFORE.tarball.bytes)}, ${size(BEFORE.tarball.unpacked)} unpacked, in ${BEFORE.tarball.files} files, and npm installed its dependencies beside it. Its ${grammars.count} grammars have ${size(grammars.bytes)} unpacked. Installed:

${table(["system", "size", "of this, SQLite for Node 20", "limit", "before"], installed)}
Node 22.13 and later have SQLite built in, and do without the optional packages \`@libsql/*\`: with \`npm install --omit=optional\` all of it has ${size(bytes - sqlite)}.
`;
}
