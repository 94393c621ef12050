// Systems that are not this one, as far as they can be had on a Linux machine: `node scripts/beds/beds.mjs [part of a name …]` runs
// round.mjs on plain Linux and in each bed, compares verdicts and Node starts, and prints the table of docs/platforms.md. Needs root
// (mount namespaces). `--musl <folder>`, `--windows <folder>`: what musl.sh and windows.sh have made. What cannot be had here is left out, with the reason. docs/platforms.md says how to get the rest.
import { spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");
const cli = process.env.UA_HOOKS_BED_CLI ?? join(root, "dist/cli.cjs");
const round = join(import.meta.dirname, "round.mjs");
const UNSHARE = ["--mount", "--propagation", "private", "sh", "-c"];
const MINUTES_5 = 300_000;

const found = (name) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((dir) => join(dir, name))
    .find((file) => existsSync(file));

/** What hooks use. */
const TOOLS = ["git", "sh", "sleep", "mkfifo", "cat", "rm", "[", "printf", "kill"]; // the last three are no builtins of some shells
const NO_PROC = "mount -t tmpfs none /proc";
const asSh = (shell) => `mount --bind '${realpathSync(shell)}' '${realpathSync("/bin/sh")}'`;

/** A root folder of its own, with this repository and the bed's folder in it where they are here. */
const inRoot = (folder, base) => [
  ...["/dev", "/proc", root, base].flatMap((dir) => [
    `mkdir -p '${folder}${dir}'`,
    `mount --rbind '${dir}' '${folder}${dir}'`,
  ]),
];

const folding = join(import.meta.dirname, "folding.py");
/** The folder for the work, as macOS has one. It is there when its folder is on another device than the one around it. */
const inFolding = (base) => [
  `mkdir '${base}/files'`,
  `{ /usr/bin/python3 '${folding}' '${base}/files' '${base}/work' >/dev/null 2>&1 & }`,
  `while [ "$(stat -c %d '${base}')" = "$(stat -c %d '${base}/work')" ]; do kill -0 $! && sleep 0.1 || exit 1; done`,
];

/**
 * tools: all that is on PATH. applets: the same, by BusyBox. own: programs that a bed brings, by name. prepare: lines of sh that run in a
 * mount namespace first. needs: a program that must be here. detached: Node starts a second Node, since nothing else can make a session.
 * chroot: all of it runs there, with the PATH and Node of that folder. after: lines of sh that run at the end.
 */
const bedsWith = ({ musl, windows }) => [
  { name: "Linux", tools: [...TOOLS, "setsid"] },
  { name: "macOS-like", tools: [...TOOLS, "perl"], prepare: () => [NO_PROC] },
  { name: "macOS-like, no perl", tools: TOOLS, prepare: () => [NO_PROC], detached: true },
  ...["bash-3.2", "bash", "zsh", "mksh", "yash", "posh", "ksh93"].map((shell) => ({
    ...{ name: `macOS-like, ${shell} as sh`, needs: shell, tools: [...TOOLS, "perl"] },
    prepare: () => [asSh(found(shell)), NO_PROC],
  })),
  {
    ...{ name: "BusyBox as sh and tools", needs: "busybox", tools: ["git"] },
    ...{ applets: ["sh", "sleep", "mkfifo", "cat", "rm", "setsid"], prepare: () => [asSh(found("busybox"))] },
  },
  {
    ...{ name: "macOS-like, names in any case and Unicode form", needs: "fusermount", tools: [...TOOLS, "perl"] },
    ...{ prepare: (base) => [...inFolding(base), NO_PROC], after: (base) => [`umount '${base}/work'`, "wait"] },
  },
  { name: "a setsid that fails", tools: TOOLS, own: { setsid: "#!/bin/sh\nexit 1\n" }, detached: true },
  { name: "musl", chroot: musl, prepare: (base) => inRoot(musl, base) },
  {
    ...{ name: "musl, libsql in place of node:sqlite", chroot: musl, prepare: (base) => inRoot(musl, base) },
    ...{ program: join(root, ".build/program/dist/cli.cjs"), env: { UA_HOOKS_SQLITE: "libsql" } },
  },
  { name: "Windows (wine)", wine: windows, detached: true },
];

function whyNot(bed) {
  const { needs, prepare, program = cli } = bed;
  if ("chroot" in bed && bed.chroot === undefined) return "no folder of musl.sh is named";
  if ("wine" in bed && bed.wine === undefined) return "no folder of windows.sh is named";
  if (!existsSync(program)) return `there is no ${program}`;
  if (needs !== undefined && found(needs) === undefined) return `there is no ${needs}`;
  if (prepare !== undefined && spawnSync("unshare", [...UNSHARE, NO_PROC]).status !== 0)
    return "no mount namespace can be made here";
  return null;
}

function pathOf({ tools, applets = [], own = {} }, base) {
  const bin = join(base, "bin");
  mkdirSync(bin);
  for (const name of tools) if (found(name) !== undefined) symlinkSync(found(name), join(bin, name));
  for (const name of applets) symlinkSync(found("busybox"), join(bin, name));
  for (const [name, text] of Object.entries(own)) writeFileSync(join(bin, name), text, { mode: 0o755 });
  return bin;
}

/** The lines of a round. A process that is left has the bed's folder in its command line. */
function runIn(bed) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ua-hooks-bed-")));
  try {
    const { status, stdout, stderr } = start(bed, base);
    if (status !== 0) {
      process.stderr.write(`${bed.name}: ${stdout}${stderr}\n`); // also if the folder cannot be removed, where a worker is still busy
      throw new Error(`${bed.name} failed`);
    }
    const left = processesWith(base);
    if (left.length > 0) throw new Error(`${bed.name}: these processes are left:\n${left.join("\n")}`);
    const lines = stdout.trim().split("\n");
    return lines.map((text) => JSON.parse(text));
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** wine's programs do not write to our pipes: the round's lines go through a file. They see its folder C:, and what is in it. */
function startInWine({ wine }, base) {
  const drive = join(wine, "wine/drive_c");
  const inside = join(drive, "bed", basename(base));
  mkdirSync(join(inside, "work"), { recursive: true });
  try {
    for (const part of ["dist", "hooks", "templates", "schemas", "package.json"])
      cpSync(join(root, part), join(inside, "package", part), { recursive: true });
    cpSync(round, join(inside, "round.mjs"));
    const output = openSync(join(inside, "output"), "w");
    const at = `C:\\bed\\${basename(base)}`;
    const args = ["C:\\bed\\bin\\node.exe", `${at}\\round.mjs`, `${at}\\package\\dist\\cli.cjs`, `${at}\\work`];
    const own = { WINEPREFIX: join(wine, "wine"), WINEPATH: "C:\\bed\\bin", WINEDEBUG: "-all" };
    const options = { env: { ...process.env, ...own }, timeout: MINUTES_5 * 3, stdio: ["ignore", output, output] };
    const { status } = spawnSync("wine", args, options);
    closeSync(output);
    return { status, stdout: readFileSync(join(inside, "output"), "utf8"), stderr: "" };
  } finally {
    rmSync(inside, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function start(bed, base) {
  if (bed.wine !== undefined) return startInWine(bed, base);
  const work = join(base, "work");
  mkdirSync(work);
  const prepare = bed.prepare?.(base) ?? [];
  const inside =
    bed.chroot === undefined
      ? `PATH='${pathOf(bed, base)}' '${process.execPath}' "$@"`
      : `PATH=/bin:/usr/bin /usr/sbin/chroot '${bed.chroot}' /usr/bin/node "$@"`;
  const after = ["result=$?", ...(bed.after?.(base) ?? []), "exit $result"].join("; ");
  const command = prepare.length > 0 ? ["unshare", ...UNSHARE] : ["sh", "-c"];
  const [program, ...args] = [
    ...command,
    `${[...prepare, inside].join(" && ")}; ${after}`,
    "sh",
    round,
    bed.program ?? cli,
    work,
  ];
  const env = { ...process.env, ...bed.env };
  return spawnSync(program, args, { encoding: "utf8", timeout: MINUTES_5, env });
}

function processesWith(base) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return ""; // it has ended
      }
    })
    .filter((line) => line.includes(basename(base)));
}

/**
 * How many starts are right: one per step. An amend and a rebase are two events; on a busy machine the second event may come before the
 * system shows that the first one's process is Node by now, and starts one more, which ends at once.
 */
function startsIn({ detached }, step) {
  if (["install", "uninstall"].includes(step)) return [0];
  if (step === "agent hook") return [1];
  const each = detached ? 2 : 1;
  return ["amend", "rebase of 20"].includes(step) ? [each, each * 2] : [each];
}

/** What is not as on Linux, in words; empty where all is. */
function differences(bed, rows, plain) {
  return plain.flatMap(({ step, verdict }, at) => {
    const row = rows[at];
    const expected = startsIn(bed, step);
    return [
      ...(JSON.stringify(row?.verdict) === JSON.stringify(verdict)
        ? []
        : [`${bed.name}, ${step}: ${JSON.stringify(row?.verdict)}\n  on Linux: ${JSON.stringify(verdict)}`]),
      ...(expected.includes(row?.nodes) ? [] : [`${bed.name}, ${step}: ${row?.nodes} Node starts, not ${expected}`]),
    ];
  });
}

const line = (cells) => process.stdout.write(`| ${cells.join(" | ")} |\n`);

function main(args) {
  const { values, positionals: wanted } = parseArgs({
    ...{ args, allowPositionals: true, options: { musl: { type: "string" }, windows: { type: "string" } } },
  });
  const [linux, ...others] = bedsWith(values);
  const plain = runIn(linux);
  line(["bed", ...plain.map(({ step }) => step)]);
  line(["---", ...plain.map(() => "---")]);
  line([linux.name, ...plain.map(({ nodes }) => nodes)]);
  const wrong = differences(linux, plain, plain);
  for (const bed of others.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))) {
    const reason = whyNot(bed);
    if (reason !== null) {
      process.stdout.write(`${bed.name}: left out, ${reason}\n`);
      continue;
    }
    const rows = runIn(bed);
    line([bed.name, ...rows.map(({ nodes }) => nodes)]);
    wrong.push(...differences(bed, rows, plain));
  }
  for (const each of wrong) process.stderr.write(`${each}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

main(process.argv.slice(2));
