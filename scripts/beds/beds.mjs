// Systems that are not this one, as far as they can be had on a Linux machine: `node scripts/beds/beds.mjs [part of a name …]` runs
// round.mjs on plain Linux and in each bed, compares verdicts and Node starts, and prints the table of docs/platforms.md. Needs root
// (mount namespaces). What cannot be had here is left out, with the reason. docs/platforms.md says how to get the rest.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

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

/**
 * tools: all that is on PATH. own: programs on PATH that a bed brings, by name. prepare: lines of sh that run in a mount namespace first.
 * needs: a program that must be here. detached: Node starts a second Node, since nothing else can make a session.
 */
const BEDS = [
  { name: "Linux", tools: [...TOOLS, "setsid"] },
  { name: "macOS-like", tools: [...TOOLS, "perl"], prepare: [NO_PROC] },
  { name: "macOS-like, no perl", tools: TOOLS, prepare: [NO_PROC], detached: true },
  ...["bash-3.2", "bash", "zsh", "mksh", "yash", "posh", "ksh93"].map((shell) => ({
    ...{ name: `macOS-like, ${shell} as sh`, needs: shell, tools: [...TOOLS, "perl"] },
    prepare: () => [asSh(found(shell)), NO_PROC],
  })),
  {
    ...{ name: "BusyBox as sh and tools", needs: "busybox", tools: ["git"] },
    ...{ applets: ["sh", "sleep", "mkfifo", "cat", "rm", "setsid"], prepare: () => [asSh(found("busybox"))] },
  },
  {
    ...{ name: "a setsid that fails", tools: TOOLS, own: { setsid: "#!/bin/sh\nexit 1\n" } },
    detached: true,
  },
];

function whyNot({ needs, prepare }) {
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
    const path = pathOf(bed, base);
    const work = join(base, "work");
    mkdirSync(work);
    const prepare = typeof bed.prepare === "function" ? bed.prepare() : (bed.prepare ?? []);
    const line = [...prepare, `PATH='${path}' exec "$@"`].join(" && ");
    const command = prepare.length > 0 ? ["unshare", ...UNSHARE] : ["sh", "-c"];
    const [program, ...args] = [...command, line, "sh", process.execPath, round, cli, work];
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: MINUTES_5 });
    if (status !== 0) throw new Error(`${bed.name}: ${stdout}${stderr}`);
    const left = processesWith(base);
    if (left.length > 0) throw new Error(`${bed.name}: these processes are left:\n${left.join("\n")}`);
    return stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
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
    .filter((line) => line.includes(base));
}

/** An amend is two events. The second may come before the system shows that the first one's process is Node by now. */
function nodesIn({ detached }, step, nodes) {
  if (!detached || step === "agent hook") return [nodes];
  return step === "amend" ? [nodes * 2, nodes * 4] : [nodes * 2];
}

/** What is not as on Linux, in words; empty where all is. */
function differences(bed, rows, plain) {
  return plain.flatMap(({ step, nodes, verdict }, at) => {
    const row = rows[at];
    const expected = nodesIn(bed, step, nodes);
    return [
      ...(JSON.stringify(row?.verdict) === JSON.stringify(verdict)
        ? []
        : [`${bed.name}, ${step}: ${JSON.stringify(row?.verdict)}\n  on Linux: ${JSON.stringify(verdict)}`]),
      ...(expected.includes(row?.nodes) ? [] : [`${bed.name}, ${step}: ${row?.nodes} Node starts, not ${expected}`]),
    ];
  });
}

const line = (cells) => process.stdout.write(`| ${cells.join(" | ")} |\n`);

function main(wanted) {
  const [linux, ...others] = BEDS;
  const plain = runIn(linux);
  line(["bed", ...plain.map(({ step }) => step)]);
  line(["---", ...plain.map(() => "---")]);
  line([linux.name, ...plain.map(({ nodes }) => nodes)]);
  let wrong = [];
  for (const bed of others.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))) {
    const reason = whyNot(bed);
    if (reason !== null) process.stdout.write(`${bed.name}: left out, ${reason}\n`);
    else {
      const rows = runIn(bed);
      const found = differences(bed, rows, plain);
      line([bed.name, ...rows.map(({ nodes }) => nodes)]);
      wrong = [...wrong, ...found];
    }
  }
  for (const each of wrong) process.stderr.write(`${each}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

main(process.argv.slice(2));
