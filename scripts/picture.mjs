// Makes docs/images/terminal.svg: real commands on a real terminal in a scratch project, as text in an SVG that follows the
// reader's light or dark. `node scripts/picture.mjs [FILE]`; needs util-linux' script, and dist/.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const cli = join(root, "dist/cli.cjs");
const COLUMNS = 96;
const ESC = "\x1b\\[";
const WIPED = new RegExp(`[^\\n]*\\r${ESC}2K`, "g");
const COLOUR = new RegExp(`${ESC}(\\d+)m`);

const SUM = `import { twice } from "./twice.js";

export function sum(x: number, y: number): number {
  return twice(x) + y;
}
`;
const TWICE = `export function twice(x: number): number {
  return x * 2;
}
`;
const WIDER = TWICE.replace("x: number)", "x: number, factor = 2)").replace("* 2", "* factor");

/** What is typed, and what happens before without being shown. */
const STEPS = [
  { typed: "npx ua-hooks install" },
  { before: { "src/twice.ts": `/** Doubles. */\n${TWICE}` }, typed: "git commit -qam 'Say what twice does'" },
  { typed: "ua-hooks status" },
  { before: { "src/twice.ts": WIDER }, typed: "git commit -qam 'Let twice take a factor'" },
  { typed: "ua-hooks pending" },
  { typed: "ua-hooks why src/twice.ts" },
];

function scratch(base) {
  const dir = join(base, "project");
  const bin = join(base, "bin");
  mkdirSync(join(dir, "src"), { recursive: true });
  mkdirSync(bin);
  const program = `exec '${process.execPath}' '${cli}' "$@"\n`;
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\n${program}`, { mode: 0o755 });
  writeFileSync(join(bin, "ua-hooks"), `#!/bin/sh\n${program}`, { mode: 0o755 });
  const who = { NAME: "A", EMAIL: "a@example.com", DATE: "2026-01-01T00:00:00Z" };
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: base,
    TERM: "xterm",
    LANG: "C.UTF-8",
    UA_HOOKS_FOREGROUND: "1",
  };
  for (const [key, value] of Object.entries(who)) {
    env[`GIT_AUTHOR_${key}`] = value;
    env[`GIT_COMMITTER_${key}`] = value;
  }
  Object.assign(env, { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" });
  return { dir, env };
}

/** On a terminal, as a user sees it. */
function seen(command, { dir, env }) {
  const line = `stty cols ${COLUMNS} rows 40; ${command}`;
  const { status, stdout, error } = spawnSync("script", ["-qec", line, "/dev/null"], {
    cwd: dir,
    env,
    encoding: "utf8",
  });
  if (error !== undefined || status !== 0) throw new Error(`${command}: ${error ?? `exit ${status}: ${stdout}`}`);
  // A progress bar that was drawn on a slow machine was wiped again.
  return stdout.replace(WIPED, "").replaceAll("\r", "").trimEnd();
}

function record() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ua-hooks-picture-")));
  try {
    const place = scratch(base);
    const write = (files) => {
      for (const [path, text] of Object.entries(files)) writeFileSync(join(place.dir, path), text);
    };
    write({ "src/sum.ts": SUM, "src/twice.ts": TWICE });
    seen("git init -q -b main; git add -A; git commit -qm start", place);
    const lines = [];
    for (const { before = {}, typed } of STEPS) {
      write(before);
      const said = seen(typed, place);
      if (lines.length > 0 && lines.at(-1) !== "") lines.push("");
      lines.push(`\x1b[36m$\x1b[39m \x1b[1m${typed}\x1b[22m`, ...(said === "" ? [] : said.split("\n")));
    }
    return lines;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

const CLASSES = { 1: "b", 2: "d", 31: "r", 32: "g", 33: "y", 36: "c" };
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Colours become classes: `\x1b[33mpending\x1b[39m` is `<tspan class="y">pending</tspan>`. */
function spans(line) {
  let on = new Set();
  let out = "";
  // Split by a pattern with a group, every second part is a code.
  for (const [at, part] of line.split(COLOUR).entries()) {
    const code = at % 2 === 1 ? part : undefined;
    if (code === "39") on = new Set([...on].filter((name) => "bd".includes(name)));
    else if (code === "22") on = new Set([...on].filter((name) => !"bd".includes(name)));
    else if (code !== undefined) on.add(CLASSES[code]);
    else if (part !== "")
      out += on.size === 0 ? escaped(part) : `<tspan class="${[...on].join(" ")}">${escaped(part)}</tspan>`;
  }
  return out;
}

function picture(lines) {
  const [step, edge] = [19, 18];
  const [width, height] = [COLUMNS * 7.85 + 2 * edge, lines.length * step + 2 * edge];
  const rows = lines.map((line, at) => `<text x="${edge}" y="${edge + 14 + at * step}">${spans(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.round(width)} ${height}" width="${Math.round(width)}" height="${height}" role="img" aria-label="A terminal: install, a comment that changes nothing, a parameter that does">
<style>
:root { --paper: #f6f8fa; --ink: #1f2328; --dim: #656d76; --g: #116329; --y: #8a4600; --r: #a40e26; --c: #0a5a9c; --line: #d0d7de }
@media (prefers-color-scheme: dark) {
:root { --paper: #161b22; --ink: #e6edf3; --dim: #8b949e; --g: #56d364; --y: #e3b341; --r: #ff7b72; --c: #79c0ff; --line: #30363d }
}
rect { fill: var(--paper); stroke: var(--line) }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink); white-space: pre }
.b { font-weight: 600 } .d { fill: var(--dim) } .g { fill: var(--g) } .y { fill: var(--y) } .r { fill: var(--r) } .c { fill: var(--c) }
</style>
<rect x="0.5" y="0.5" width="${Math.round(width) - 1}" height="${height - 1}" rx="8"/>
${rows.join("\n")}
</svg>
`;
}

const file = process.argv[2] ?? join(root, "docs/images/terminal.svg");
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, picture(record()));
