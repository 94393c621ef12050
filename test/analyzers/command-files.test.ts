import assert from "node:assert/strict";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { filesOfCommand, requireOutside } from "../../src/analyzers/command-files.js";
import { programPath } from "../../src/platform/program-path.js";
import { tempDir } from "../support/repo.js";

const FILES = [
  "tools/an.js",
  "tools/esm.mjs",
  "tools/pkg/package.json",
  "tools/pkg/lib/start.js",
  "tools/folder/index.js",
];
const MORE = [
  "tools/an.jar",
  "inspect",
  "tools/an.sh",
  "tools/an.py",
  "tools/app/__main__.py",
  "tools/data.json",
  "src/index.ts",
  "package.json",
];

function aProject(t: TestContext) {
  const root = realpathSync(tempDir(t));
  for (const name of [...FILES, ...MORE]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), name === "tools/pkg/package.json" ? '{ "main": "lib/start" }' : "");
  }
  return { root, mainPath: root, commonDir: join(root, ".git"), worktree: { path: root } };
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
  [["bun", "./tools/an"], ["tools/an.js"]],
  [["bun", "tools/an.js"], ["tools/an.js"]],
  [["tsx", "tools/an"], ["tools/an.js"]],
  [
    ["env", "-S", "A=1 node --require=./tools/an.js", "tools/esm.mjs"],
    ["tools/an.js", "tools/esm.mjs"],
  ],
  [["awk", "-f", "tools/an.sh"], ["tools/an.sh"]],
  [["sh", "-eu", "tools/an.sh"], ["tools/an.sh"]],
  [["python3", "-u", "tools/an.py"], ["tools/an.py"]],
  [["python3.11", "tools/app"], ["tools/app/__main__.py"]],
  [["python3", "-I", "-m", "json.tool"], []],
  [["./tools/an.sh"], ["tools/an.sh"]],
  [["lua5.4", "tools/an.sh"], ["tools/an.sh"]],
  [["java", "-Xmx2g", "-jar", "tools/an.jar"], ["tools/an.jar"]],
  [["analyzer", "-ctools/data.json"], ["tools/data.json"]],
  [["analyzer", "@tools/data.json"], ["tools/data.json"]],
  [["analyzer", "--plugin:tools/an.js"], ["tools/an.js"]],
  [
    ["analyzer", "--rules=tools/an.js,tools/data.json"],
    ["tools/an.js", "tools/data.json"],
  ],
  [["analyzer", "file:///HERE/tools/an.js"], ["tools/an.js"]],
  [["claude", "-p", "--add-dir", "src"], []],
];

const REFUSED: [command: string[], why: RegExp][] = [
  [["sh", "-c", "node tools/an.js"], /sh -c: what it runs cannot be followed/],
  [["bash", "-lc", "node tools/an.js"], /bash -lc/],
  [["/bin/sh", "-ec", "true"], /sh -ec/],
  [["sh"], /sh gets no script/],
  [["env", "A=1", "sh", "-c", "x"], /sh -c/],
  [["env", "-S", "node 'tools/an.js'"], /env -S/],
  [["env", "-S", "PATH=tools an.sh"], /makes programs load files/],
  [["env", "TOOLS=tools", "node", "tools/an.js"], /a folder of the project/],
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
  [["bun", "run", "analyze"], /bun may take run for a command of its own/],
  [["bun", "tools/an"], /bun may take tools\/an for a command of its own, or of package\.json/],
  [["node", "inspect", "tools/an"], /node may take inspect for a command/],
  [["tsx", "watch", "tools/an"], /tsx may take watch for a command/],
  [["node", "/usr/lib/node_modules/npm/bin/npm-cli.js", "run", "analyze"], /npm-cli\.js runs is decided/],
  [["NPM", "run", "analyze"], /NPM runs is decided/],
  [["Env", "SH", "-c", "x"], /SH -c/],
  [["sh", "+e", "-c", "tools/an.sh"], /sh \+e/],
  [["lua5.4", "-e", "dofile('tools/an.sh')"], /lua5\.4 -e/],
  [["php8.2", "-r", "include 'tools/an.sh';"], /php8\.2 -r/],
  [["tcsh", "-c", "tools/an.sh"], /tcsh -c/],
  [["ksh93", "-c", "tools/an.sh"], /ksh93 -c/],
  [["node-22", "-e", "0"], /node-22 -e/],
  [["vim", "-c", "!tools/an.sh"], /vim -c/],
  [["java", "-cp", "tools/an.jar:lib.jar", "Main"], /java -cp/],
  [["java", "-javaagent:tools/an.jar", "-jar", "/opt/x.jar"], /java -javaagent/],
  [["java", "@tools/data.json"], /java may take/],
  [["ninja"], /ninja runs is decided/],
  [["flock", "lock", "-c", "make"], /flock runs is decided/],
  [["coreutils", "--coreutils-prog=env", "-S", "make x"], /coreutils runs is decided/],
  [["npm", "run", "analyze"], /npm runs is decided/],
  [["npx", "analyze"], /npx runs is decided/],
  [["make", "analyze"], /make runs is decided/],
  [["just", "analyze"], /just runs is decided/],
  [["pnpm", "run", "analyze"], /pnpm runs is decided/],
  [["yarn", "analyze"], /yarn runs is decided/],
  [["git", "analyze"], /git runs is decided/],
  [["ts-node", "tools/an.ts"], /ts-node runs is decided/],
  [["tsx", "-e", "0"], /tsx -e/],
  [["sh", "/proc/self/cwd/tools/an.sh"], /another file in each process/],
  [["docker", "run", "image", "sh", "-c", "x"], /docker starts sh/],
];

test("trust: the files of the project that a command line runs", (t) => {
  const place = aProject(t);
  for (const [command, files] of COVERED)
    assert.deepEqual(
      [
        ...filesOfCommand(
          command.map((part) => part.replace("/HERE", place.root)),
          place,
        ).keys(),
      ],
      files,
      command.join(" "),
    );
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

/** Further files, and what `./run` then is. */
interface FirstLine {
  line: string;
  others?: Record<string, string>;
  files?: string[];
  refused?: RegExp;
}

const FIRST_LINES: FirstLine[] = [
  { line: "#!/bin/sh", files: ["run"] },
  { line: "#! /bin/sh -eu", files: ["run"] },
  { line: "#!tools/an.sh", files: ["run", "tools/an.sh"] },
  { line: "#!HERE/tools/an.sh", files: ["run", "tools/an.sh"] },
  {
    line: "#!tools/chain",
    others: { "tools/chain": "#!tools/an.sh\n" },
    files: ["run", "tools/an.sh", "tools/chain"],
  },
  { line: "#!tools/chain", others: { "tools/chain": "#!run\n" }, files: ["run", "tools/chain"] },
  { line: "#!/usr/bin/env node", files: ["run"] },
  { line: "#!/usr/bin/env tools/an.sh", files: ["run", "tools/an.sh"] },
  { line: "#!/usr/bin/env -S node --require=./tools/an.js", files: ["run", "tools/an.js"] },
  { line: "#!/usr/bin/env -S node --import ./tools/esm.mjs", files: ["run", "tools/esm.mjs"] },
  { line: "#!/usr/bin/node --require ./tools/an", files: ["run", "tools/an.js"] },
  { line: "#!/usr/bin/awk -f", files: ["run"] },
  { line: "#!/usr/bin/env -S node -e 0", refused: /node -e/ },
  { line: "#!/usr/bin/env -S node --import=tsx", refused: /found by its name/ },
  { line: "#!/usr/bin/env -S A=1 python3 -m tools.an", refused: /python3 -m/ },
  { line: "#!/usr/bin/env -S PATH=./tools an.sh", refused: /makes programs load files/ },
  { line: "#!/bin/sh -c", refused: /sh -c/ },
  { line: "#!/usr/bin/make -f", refused: /make runs is decided/ },
  { line: "#!/usr/bin/env -S uv run --script", refused: /uv runs is decided/ },
  { line: "#!tools/chain", others: { "tools/chain": "#!/usr/bin/env -S npm run\n" }, refused: /npm runs is decided/ },
  { line: "#!", refused: /names no program/ },
  { line: "#!/usr/bin/env bun", others: { "bunfig.toml": "" }, refused: /bunfig\.toml/ },
];

test("trust: the interpreter of a script's first line and what its options load count too", (t) => {
  for (const { line, others = {}, files, refused } of FIRST_LINES) {
    const place = aProject(t);
    for (const [name, text] of Object.entries(others)) writeFileSync(join(place.root, name), text);
    writeFileSync(join(place.root, "run"), `${line.replace("HERE", place.root)}\n`);
    for (const command of [["./run"], [join(place.root, "run"), "--fast"], ["nice", "./run"], ["perl", "run"]]) {
      const found = () => [...filesOfCommand(command, place).keys()];
      if (refused === undefined) assert.deepEqual(found(), files, `${line}: ${command}`);
      else assert.throws(found, { code: "refused", message: refused }, `${line}: ${command}`);
    }
  }
});

test("trust: links lead to the file that runs, from PATH and node_modules too", (t) => {
  const place = aProject(t);
  const { root } = place;
  const outside = realpathSync(tempDir(t));
  const names = (...command: string[]) =>
    [...filesOfCommand(command, place)].map(([name, file]) => [name, file.outside]);
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  symlinkSync("../../tools/an.js", join(root, "node_modules/.bin/an"));
  assert.deepEqual(names("./node_modules/.bin/an"), [
    ["node_modules/.bin/an", null],
    ["tools/an.js", null],
  ]);
  writeFileSync(join(root, "node_modules/.bin/shim"), "#!/bin/sh\nexec node ../../tools/an.js\n");
  assert.throws(() => names("./node_modules/.bin/shim"), /starts another file, which is not followed/);

  symlinkSync(root, join(outside, "link"));
  assert.deepEqual(names("node", join(outside, "link/tools/an.js")), [["tools/an.js", null]]);
  // The shell follows the link before `..`.
  symlinkSync("tools/folder", join(root, "sub"));
  writeFileSync(join(root, "an.sh"), "");
  assert.deepEqual(names("sh", "sub/../an.sh"), [
    ["an.sh", null],
    ["tools/an.sh", null],
  ]);
  symlinkSync(process.execPath, join(root, "tools/engine"));
  assert.throws(() => names("tools/engine", "-e", "0"), /engine -e/);

  writeFileSync(join(outside, "python3"), "not a script");
  symlinkSync(join(outside, "python3"), join(root, "python3"));
  assert.deepEqual(names("./python3", "tools/an.py"), [
    ["python3", join(outside, "python3")],
    ["tools/an.py", null],
  ]);
  assert.throws(() => names("./python3", "-I", "-m", "json.tool"), /python3 -m/);

  const before = process.env.PATH;
  t.after(() => {
    process.env.PATH = before;
  });
  symlinkSync(join(root, "tools/an.sh"), join(outside, "analyze-linked"));
  chmodSync(join(root, "tools/an.sh"), 0o755);
  process.env.PATH = `${outside}:${before}`;
  assert.deepEqual(names("analyze-linked"), [["tools/an.sh", null]]);
  assert.throws(() => requireOutside("analyze-linked", place), /in PATH is a link to tools\/an\.sh of this project/);
  requireOutside("no-such-program", place);

  // execvp(3) goes on where a file has no run bit.
  const earlier = realpathSync(tempDir(t));
  writeFileSync(join(earlier, "analyze-linked"), "", { mode: 0o644 });
  process.env.PATH = `${earlier}:${outside}:${before}`;
  assert.deepEqual(names("analyze-linked"), [["tools/an.sh", null]]);
  process.env.PATH = `${outside}:${before}`;

  // What a link leads to has a name, too.
  symlinkSync("/usr/bin/env", join(root, "tools/through"));
  symlinkSync(join(outside, "npm-cli.js"), join(root, "tools/pk"));
  writeFileSync(join(outside, "npm-cli.js"), "#!/usr/bin/env node\n");
  symlinkSync(join(outside, "make"), join(root, "tools/build"));
  writeFileSync(join(outside, "make"), "");
  assert.throws(() => names("tools/through", "-S", "make x"), /what make runs is decided/);
  assert.throws(() => names("tools/pk", "run", "x"), /npm-cli\.js runs is decided/);
  assert.throws(() => names("./tools/build"), /what make runs is decided/);

  // A program outside has its interpreter in the project, as pip writes it.
  for (const line of [`${root}/tools/an.sh`, `/usr/bin/env ${root}/tools/an.sh`]) {
    writeFileSync(join(outside, "with-interpreter"), `#!${line}\n`, { mode: 0o755 });
    assert.deepEqual(names("with-interpreter"), [["tools/an.sh", null]], line);
  }
  symlinkSync(join(outside, "with-interpreter"), join(root, "tools/linked"));
  assert.deepEqual(names("tools/linked"), [
    ["tools/an.sh", null],
    ["tools/linked", join(outside, "with-interpreter")],
  ]);

  writeFileSync(join(earlier, ".git"), `gitdir: ${root}/.git/worktrees/linked\n`);
  process.env.PATH = `${join(root, "tools")}:${before}`;
  assert.equal(programPath(earlier), programPath(root, before), "a folder of the main worktree, in a linked one");
  symlinkSync(join(root, "tools"), join(outside, "bin"));
  process.env.PATH = `${join(outside, "bin")}:${before}`;
  assert.equal(programPath(root), programPath(root, before), "a folder of PATH that is a link into the checkout");
});
