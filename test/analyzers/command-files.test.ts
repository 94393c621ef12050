import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { filesOfCommand } from "../../src/analyzers/command-files.js";
import { tempDir } from "../support/repo.js";

const FILES = [
  "tools/an.js",
  "tools/esm.mjs",
  "tools/pkg/package.json",
  "tools/pkg/lib/start.js",
  "tools/folder/index.js",
];
const MORE = ["tools/an.sh", "tools/an.py", "tools/app/__main__.py", "tools/data.json", "src/index.ts", "package.json"];

function aProject(t: TestContext) {
  const root = tempDir(t);
  for (const name of [...FILES, ...MORE]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), name === "tools/pkg/package.json" ? '{ "main": "lib/start" }' : "");
  }
  return { root, worktree: { path: root } };
}

const COVERED: [command: string[], files: string[]][] = [
  [["node", "tools/an.js"], ["tools/an.js"]],
  [["node", "tools/an"], ["tools/an.js"]],
  [["node", "./tools/esm"], ["tools/esm.mjs"]],
  [["node", "tools/folder"], ["tools/folder/index.js"]],
  [
    ["node", "tools/pkg"],
    ["tools/pkg/lib/start.js", "tools/pkg/package.json"],
  ],
  [
    ["node", "--require=./tools/an.js", "tools/esm.mjs"],
    ["tools/an.js", "tools/esm.mjs"],
  ],
  [
    ["node", "--require", "./tools/an", "tools/esm.mjs"],
    ["tools/an.js", "tools/esm.mjs"],
  ],
  [
    ["node", "-r", "./tools/an", "tools/esm.mjs"],
    ["tools/an.js", "tools/esm.mjs"],
  ],
  [
    ["node", "--import", "./tools/esm.mjs", "tools/an.js"],
    ["tools/an.js", "tools/esm.mjs"],
  ],
  [
    ["node", "--loader=./tools/esm.mjs", "tools/an.js"],
    ["tools/an.js", "tools/esm.mjs"],
  ],
  [["node", "--max-old-space-size=4096", "--no-warnings", "tools/an.js", "-e", "x"], ["tools/an.js"]],
  [
    ["/usr/bin/node", "tools/an.js", "--config=tools/data.json"],
    ["tools/an.js", "tools/data.json"],
  ],
  [["env", "A=1", "-u", "B", "node", "tools/an"], ["tools/an.js"]],
  [["env", "-i", "nice", "-n", "5", "timeout", "-k", "1", "60", "node", "tools/an"], ["tools/an.js"]],
  [["deno", "run", "--allow-read", "tools/an.js"], ["tools/an.js"]],
  [["bun", "tools/an"], ["tools/an.js"]],
  [["sh", "-eu", "tools/an.sh"], ["tools/an.sh"]],
  [["python3", "-u", "tools/an.py"], ["tools/an.py"]],
  [["python3.11", "tools/app"], ["tools/app/__main__.py"]],
  [["python3", "-I", "-m", "json.tool"], []],
  [["./tools/an.sh"], ["tools/an.sh"]],
  [["claude", "-p", "--add-dir", "src"], []],
];

const REFUSED: [command: string[], why: RegExp][] = [
  [["sh", "-c", "node tools/an.js"], /sh -c: what it runs cannot be followed/],
  [["bash", "-lc", "node tools/an.js"], /bash -lc/],
  [["/bin/sh", "-ec", "true"], /sh -ec/],
  [["sh"], /sh gets no script/],
  [["env", "A=1", "sh", "-c", "x"], /sh -c/],
  [["env", "-S", "node tools/an.js"], /env -S/],
  [["env", "NODE_OPTIONS=--require=./tools/an.js", "node", "tools/esm.mjs"], /makes programs load files/],
  [["env", "PATH=tools", "an.sh"], /makes programs load files/],
  [["timeout", "60", "sh", "-c", "x"], /sh -c/],
  [["node", "-e", "require('./tools/an')"], /node -e/],
  [["node", "--eval=0"], /node --eval/],
  [["node", "-p", "0"], /node -p/],
  [["node", "--require=./tools/an.js", "-e", "0"], /node -e/],
  [["node", "-r", "some-package", "tools/an.js"], /found by its name/],
  [["node", "--import=tsx", "tools/an.js"], /found by its name/],
  [["node", "--env-file=.env", "tools/an.js"], /node --env-file/],
  [["node", "--run", "analyze"], /node --run/],
  [["node", "--title", "tools/an.js", "-e", "0"], /node --title/],
  [["node", "tools/missing"], /no file "tools\/missing"/],
  [["python3", "-m", "tools.an"], /python3 -m/],
  [["python3", "-c", "import tools"], /python3 -c/],
  [["perl", "-e", "1"], /perl -e/],
  [["perl", "-Mtools", "tools/an.sh"], /perl -Mtools/],
  [["ruby", "-r", "./tools/an", "tools/an.sh"], /ruby -r/],
  [["deno", "task", "analyze"], /deno run <file>/],
  [["bun", "run", "analyze"], /no file "run"/],
  [["npm", "run", "analyze"], /npm runs is decided/],
  [["npx", "analyze"], /npx runs is decided/],
  [["make", "analyze"], /make runs is decided/],
  [["docker", "run", "image", "sh", "-c", "x"], /docker starts sh/],
];

test("trust: the files of the project that a command line runs", (t) => {
  const place = aProject(t);
  for (const [command, files] of COVERED)
    assert.deepEqual([...filesOfCommand(command, place).keys()], files, command.join(" "));
});

test("trust: a command line that leads to files nobody can name is refused, with the reason", (t) => {
  const place = aProject(t);
  for (const [command, why] of REFUSED)
    assert.throws(() => filesOfCommand(command, place), { code: "refused", message: why }, command.join(" "));
});

test("trust: a file that comes to stand before the script counts too", (t) => {
  const place = aProject(t);
  writeFileSync(join(place.root, "tools/an"), "");
  assert.deepEqual([...filesOfCommand(["node", "tools/an"], place).keys()], ["tools/an", "tools/an.js"]);
});
