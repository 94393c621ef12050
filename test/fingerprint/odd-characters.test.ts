import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";

prepareParser();

/**
 * Files with odd characters at odd places, in a process of their own: what goes wrong can be a loop that never ends or an array that
 * grows until V8 ends the process, and no `catch` sees that.
 */
const ROOT = join(import.meta.dirname, "../../..");
const PROGRAM = join(ROOT, ".build/test/support/odd-files.mjs");
const isLong = process.env.UA_HOOKS_LONG !== undefined;
const FILES = isLong ? 2000 : 40;
const SEED = process.env.UA_HOOKS_SEED ?? String(Date.now() % 1_000_000);
/** Nothing is measured: only a loop that stands still takes this long. */
const DEADLINE = isLong ? 1_800_000 : 300_000;

const samples = readdirSync(join(ROOT, "test/fingerprint/samples")).map((name) =>
  name.replace(/^sample\.|\.txt$/g, ""),
);
const extensions = [...samples, "vue", "svelte", "astro", "md"];

/** What the process says last, and how it ends. */
function fingerprintAll(files: readonly string[]): Promise<{ last: string; code: number | null; errors: string }> {
  const args = ["--max-old-space-size=400", PROGRAM, SEED, String(FILES), ...files];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE,
    killSignal: "SIGKILL",
  });
  let last = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    last = text.trimEnd().split("\n").at(-1) ?? last;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ last, code, errors })));
}

describe("files with odd characters", () => {
  const groups = isLong ? extensions.map((extension) => [extension]) : [extensions];
  for (const group of groups) {
    it(`end no process and take no time without end: ${group.join(" ")}`, async () => {
      const { last, code, errors } = await fingerprintAll(group);
      assert.deepEqual([last, code], ["done", 0], `seed ${SEED}, at ${last}: ${errors}`);
    });
  }
});

describe("a blank that is not ASCII", () => {
  const code = "export function f(a: number): number {\n  return a;\n}\n";
  const drift = async (path: string, before: string, after: string) => {
    const [one, two] = await Promise.all([before, after].map((text) => fingerprintText(path, Buffer.from(text))));
    assert.ok(one !== undefined && two !== undefined);
    return compareFingerprints(one, two).drift;
  };

  for (const blank of ["\u00a0", "\u2003", "\u2028", "\u3000", "\ufeff"]) {
    const name = `U+${blank.charCodeAt(0).toString(16)}`;
    it(`between two tokens of TypeScript is layout: ${name}`, async () => {
      assert.equal(await drift("a.ts", code, code.replace("): number", `):${blank}number`)), "cosmetic");
      assert.equal(await drift("a.ts", code, `${blank}${code}${blank}`), "cosmetic");
    });
    it(`in a string is a part of it: ${name}`, async () => {
      const text = 'export function f() {\n  return "a b";\n}\n';
      assert.equal(await drift("a.ts", text, text.replace("a b", `a${blank}b`)), "body");
    });
  }

  it("in a name of Bash or Ruby is a part of it", async () => {
    assert.equal(await drift("a.sh", "f() {\n  echo a b\n}\n", "f() {\n  echo a\u00a0b\n}\n"), "body");
    assert.equal(await drift("a.rb", "def f\n  a b\nend\n", "def f\n  a\u00a0b\nend\n"), "behaviour");
  });
});
