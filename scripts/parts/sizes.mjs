// What scripts/package-sizes.mjs measured, as docs/package.md shows it.
import { table } from "./table.mjs";

const MB = 1_000_000;
const size = (bytes) => (bytes < MB ? `${Math.round(bytes / 1000)} KB` : `${(bytes / MB).toFixed(1)} MB`);

/** What the files of a part are for, by the part's name; the script says which files it has. */
const ABOUT = {
  programs: ["`dist/{hook,agent,cli}*.cjs`", "what git, agents and people start: small files"],
  verify: ["`dist/verify.cjs`", "what git waits for in the foreground"],
  program: ["`dist/program.cjs`", "everything else that these load later"],
  mcp: ["`dist/mcp.cjs`", "the MCP server and its SDK"],
  worker: ["`dist/worker.cjs`", "a thread that parses"],
  grammars: ["`dist/grammars/`", "tree-sitter and its grammars, compressed"],
  library: ["`dist/index*.js`, `dist/types/`", "the library ([api](api.md))"],
  report: ["`dist/report.js`", "the program of the report's page"],
  notices: ["`dist/THIRD-PARTY-NOTICES`", "the licenses of what is bundled; made by the build"],
  scripts: ["`hooks/`, `templates/`, `schemas/`", "shell scripts, and every text that `install` writes"],
  rest: ["the rest", "four pages and package.json"],
};

export function sizesText({ parts, tarball, grammars, systems }) {
  const of = (name) => [...ABOUT[name], size(parts[name])];
  const installed = systems.map(({ name, bytes, sqlite, packages, most }) => [
    ...[name, size(bytes), `${size(sqlite)}: ${packages.map((one) => `\`${one}\``).join(", ")}`, size(most)],
  ]);
  const [{ bytes, sqlite }] = systems;
  return `${table(["part", "about", "size"], Object.keys(parts).map(of))}
The tarball has ${size(tarball.bytes)} (limit ${size(tarball.most)}), ${size(tarball.unpacked)} unpacked, in ${tarball.files} files. Its ${grammars.count} grammars have ${size(grammars.bytes)} unpacked. Installed:

${table(["system", "size", "of this, SQLite for Node 20", "limit"], installed)}
Node 22.13 and later have SQLite built in, and do without the optional packages \`@libsql/*\`: with \`npm install --omit=optional\` all of it has ${size(bytes - sqlite)}.
`;
}
