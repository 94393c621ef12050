import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { languageOf } from "../../src/fingerprint/languages.js";
import { loadLanguage } from "../../src/fingerprint/parser.js";
import type { Syntax } from "../../src/fingerprint/syntax.js";
import { dice } from "../support/dice.js";

/**
 * Comments at legal places of real files: block comments between two tokens, line comments at the end of a line and on a
 * line of their own. Without UA_HOOKS_CLONES (folders of clones, with colons between) the files of this repository are
 * taken, a few of them.
 */
const CLONES = (process.env.UA_HOOKS_CLONES ?? join(import.meta.dirname, "..")).split(":");
const isLong = process.env.UA_HOOKS_CLONES !== undefined;
/** For each language. */
const TRIES = Number(process.env.UA_HOOKS_TRIES ?? (isLong ? 3000 : 20));
const ONLY = process.env.UA_HOOKS_LANGUAGES?.split(",");
const MOST_BYTES = 60_000;
const TRIES_PER_FILE = isLong ? 25 : 5;

const HASH = new Set(["python", "ruby", "bash", "hcl", "yaml"]);
const commentsOf = (language: string) => {
  if (language === "css") return { line: "/* c */", block: "/* c */" }; // a blank can be an operator
  if (language === "lua") return { line: "-- c", block: " --[[ c ]] " };
  return HASH.has(language) ? { line: "# c", block: undefined } : { line: "// c", block: " /* c */ " };
};

interface Place {
  at: number;
  what: string;
}

type Range = readonly [start: number, end: number];

/** Where a comment is text: between tags, around the expressions there, in Ruby's lists of words and behind its `__END__`, in YAML's block scalars. */
function markup(syntax: Syntax): Range[] {
  const { pieces, pieceStart, pieceEnd } = syntax;
  const startOf = (node: number) => pieces.startOf(pieceStart[node] ?? 0);
  const endOf = (node: number) => pieces.endOf((pieceEnd[node] ?? 1) - 1);
  const found: Range[] = [];
  for (let node = 0; node < syntax.count; node++) {
    const type = syntax.typeOf(node);
    const isEmpty = pieceStart[node] === pieceEnd[node];
    if (
      /^(jsx_text|html_character_reference|text|text_interpolation|(string|symbol)_array|uninterpreted|block_scalar)$/.test(
        type,
      ) &&
      !isEmpty
    )
      found.push([startOf(node), endOf(node)]);
    if (type !== "jsx_element") continue;
    const children = syntax.children(node).filter((child) => pieceStart[child] !== pieceEnd[child]);
    for (const [index, child] of children.entries()) {
      const before = children[index - 1];
      if (before !== undefined) found.push([endOf(before), startOf(child)]);
    }
  }
  return found;
}

/** Where the blank that a comment is says something: before the parameters of a macro, a `?` of Swift, in a directive. */
function isRefused(text: string, at: number, language: string): boolean {
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  const after = text.slice(at, at + 2);
  if (/^c(pp)?$/.test(language) && /^\s*#\s*(define\s+\w+$|include|error|warning|pragma|$)/.test(before)) return true;
  if (language === "csharp" && /^\s*#/.test(before)) return true;
  if (language === "swift" && (/^[?!]/.test(after) || /[?!&.]$/.test(before) || !/\s$/.test(before))) return true;
  if (language === "scala" && !/\S\s+$/.test(before)) return true; // indentation can count
  if (language === "lua" && /-$/.test(before)) return true;
  if (language === "css" && /[\w-]$/.test(before) && after.startsWith("(")) return true; // `calc (` is no call
  return /^\?:/.test(text.slice(at - 1, at + 1)) || /[/<*]$/.test(before);
}

/** Comments that say something, and the end of a heredoc: nothing may follow them on their line. */
function isDirective(line: string, language: string): boolean {
  if (/^#!|^\s*\/\/|^__END__/.test(line)) return true;
  return HASH.has(language) && /^\s*(#|[A-Z_]+\s*$)/.test(line);
}

function placesOf(syntax: Syntax, language: string): Place[] {
  const { source: text, pieces } = syntax;
  const { line, block } = commentsOf(language);
  const spans = Array.from({ length: pieces.count }, (_, piece) => piece)
    .filter((piece) => !pieces.isMark(piece))
    .map((piece): Range => [pieces.startOf(piece), pieces.endOf(piece)]);
  const taken = [...spans, ...syntax.comments.map(([start, end]): Range => [start, end])].sort((a, b) => a[0] - b[0]);
  const texts = markup(syntax);
  const isIn = (list: readonly Range[], at: number) => list.some(([start, end]) => start < at && at < end);
  const isText = (at: number) => texts.some(([start, end]) => start <= at && at <= end);
  const isContinued = (lineEnd: number) => /\\\r?$/.test(text.slice(Math.max(0, lineEnd - 2), lineEnd));
  const places: Place[] = [];
  if (block !== undefined) {
    for (const [start] of spans.slice(1)) {
      if (!isText(start) && !isIn(taken, start) && !isRefused(text, start, language))
        places.push({ at: start, what: block });
    }
  }
  const lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index).slice(1);
  for (const start of lineStarts) {
    const end = start - 1;
    const isCarriage = text[end - 1] === "\r";
    const before = text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
    if (isIn(taken, start) || isIn(taken, end) || isContinued(end) || isText(start) || isText(end)) continue;
    const indent = /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
    if (!/^__END__/.test(before)) places.push({ at: start, what: `${indent}${line}\n` });
    const isRest = (/^(c|cpp|csharp)$/.test(language) && /^\s*#/.test(before)) || isDirective(before, language);
    const isComment = syntax.comments.some(([from, until]) => from < end && end <= until + 1);
    if (!isCarriage && !isComment && !isRest && before.trim() !== "") places.push({ at: end, what: ` ${line}` });
  }
  return places;
}

/** Files of the clones by language, in an order that changes with the seed. Markdown has no comments. */
function filesByLanguage(pick: (most: number) => number): Map<string, { clone: string; path: string }[]> {
  const found = new Map<string, { clone: string; path: string; rank: number }[]>();
  for (const clone of CLONES) {
    const paths = execFileSync("git", ["-C", clone, "ls-tree", "-r", "-z", "--name-only", "HEAD"], {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    for (const path of paths.split("\0")) {
      const name = languageOf(path)?.name;
      if (name === undefined || name === "markdown" || ONLY?.includes(name) === false) continue;
      found.set(name, [...(found.get(name) ?? []), { clone, path, rank: pick(1 << 30) }]);
    }
  }
  return new Map([...found].map(([name, files]) => [name, files.sort((a, b) => a.rank - b.rank)]));
}

/** However slow the machine is. */
const BUDGET = { parseBudgetMs: 600_000 };

const read = (path: string, text: string) => fingerprintText(path, Buffer.from(text), BUDGET);

async function tryFile(clone: string, path: string, pick: (most: number) => number) {
  const blob = execFileSync("git", ["-C", clone, "show", `HEAD:${path}`], { maxBuffer: 1 << 28 });
  const language = languageOf(path);
  if (language === undefined || blob.length > MOST_BYTES || blob.includes(0)) return { tries: 0, wrong: [] };
  const text = blob.toString("utf8");
  const syntax = (await loadLanguage(language)).parse(text, BUDGET.parseBudgetMs);
  if (syntax === undefined) return { tries: 0, wrong: [] };
  const places = placesOf(syntax, language.name);
  const before = await read(path, text);
  const wrong: string[] = [];
  const tries = Math.min(TRIES_PER_FILE, places.length);
  for (let count = 0; count < tries; count++) {
    const { at, what } = places[pick(places.length)] as Place;
    const { drift } = compareFingerprints(before, await read(path, text.slice(0, at) + what + text.slice(at)));
    if (drift !== "cosmetic")
      wrong.push(
        `${drift}: ${path} ${at}: ${JSON.stringify(text.slice(at - 60, at))} + ${JSON.stringify(what)} + ${JSON.stringify(text.slice(at, at + 60))}`,
      );
  }
  return { tries, wrong };
}

test("comments at legal places of real files are cosmetic", async (t) => {
  const failures: string[] = [];
  const pick = dice(7); // always the same places: a share of some thousand is judged, in the suite of twenty
  for (const [name, files] of filesByLanguage(pick)) {
    let tries = 0;
    const wrong: string[] = [];
    for (const { clone, path } of files) {
      if (tries >= TRIES) break;
      const found = await tryFile(clone, path, pick);
      tries += found.tries;
      for (const one of found.wrong) wrong.push(one);
    }
    t.diagnostic(`${name}: ${tries} comments, ${wrong.length} not cosmetic`);
    for (const one of wrong) t.diagnostic(one);
    if (wrong.length * 1000 > tries) failures.push(`${name}: ${wrong.length} of ${tries}`);
  }
  assert.deepEqual(failures, []);
});
