// Draws changes of symbols from real history and writes them for readers, without the verdict.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { Contents, changedSymbols, contentsOf, newestCommits, program } from "./changes.mjs";

/** Of the history of a clone these commits are drawn from. */
const NEWEST = 1500;
/** Commits with more source files than these are most often mechanical, and take minutes. */
const MOST_FILES = 30;
/** A diff with more changed lines is no longer read with care. */
const MOST_CHANGED_LINES = 90;
const ITEMS_IN_FILE = 20;
const SHOWN = { mostLines: 90, head: 12, around: 12 };

const LANGUAGES = {
  ...{ ".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".js": "JavaScript", ".mjs": "JavaScript" },
  ...{ ".py": "Python", ".go": "Go", ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".rb": "Ruby", ".php": "PHP" },
  ...{ ".c": "C", ".h": "C or C++", ".cc": "C++", ".cpp": "C++", ".cs": "C#", ".lua": "Lua", ".swift": "Swift" },
  ".scala": "Scala",
};

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const takeOne = (list, random) => list.splice(Math.floor(random() * list.length), 1)[0];

function textOf(one, { texts }) {
  const [before, after] = texts;
  if (one.kind === "module") return program.changedStatements(before.module(), after.module());
  const [old, now] = texts.map((text) => text.withoutComments(text.find(one.kind, one.name)));
  return program.renderDiff(program.diffLines(old, now), SHOWN);
}

const changedLines = (text) => text.split("\n").filter((line) => /^[-+]/.test(line)).length;

/** One symbol of a commit, each of its changed symbols as likely as another; undefined if it has none. */
async function symbolOf({ commit, paths }, contents, random) {
  const source = paths.filter((path) => LANGUAGES[extname(path)] !== undefined);
  if (source.length > MOST_FILES) return undefined;
  const found = [];
  for (const path of source) {
    const both = await contentsOf(contents, commit, path);
    for (const one of both === undefined ? [] : changedSymbols(both)) found.push({ one, both });
  }
  while (found.length > 0) {
    const { one, both } = takeOne(found, random);
    const text = textOf(one, both);
    const { path, kind, name, after } = one;
    const isAside = after.isAside;
    if (changedLines(text) > 0 && changedLines(text) <= MOST_CHANGED_LINES)
      return { commit, path, kind, name, isAside, text };
  }
  return undefined;
}

/** So many changes of one clone, each of another commit. */
async function drawn(clone, { count, random }) {
  const contents = new Contents(clone);
  const commits = newestCommits(clone, NEWEST);
  const items = [];
  while (items.length < count && commits.length > 0) {
    const item = await symbolOf(takeOne(commits, random), contents, random);
    if (item !== undefined) items.push(item);
  }
  contents.close();
  return items;
}

const NAMES = {
  function: "function or method",
  class: "class or type",
  module: "file, outside of its functions and classes",
};

function spelled({ id, path, kind, name, text }) {
  const title = `${NAMES[kind]}${name === "" ? "" : `: ${name}`}`;
  return `===== ${id} =====\nlanguage: ${LANGUAGES[extname(path)]}\npath: ${path}\n${title}\n\n${text}\n`;
}

/** `folder`: of clones, `<owner>+<name>` each; `into`: gets items/NN.txt, for readers, and index.json, for `collect`. */
export async function draw({ folder, into, count, seed }) {
  const random = randomOf(seed);
  const items = [];
  for (const clone of readdirSync(folder).sort()) {
    const found = await drawn(join(folder, clone), { count, random });
    process.stderr.write(`${clone}: ${found.length}\n`);
    for (const item of found) items.push({ repository: clone.replace("+", "/"), ...item });
  }
  const mixed = [];
  while (items.length > 0) mixed.push(takeOne(items, random));
  const named = mixed.map((item, at) => ({ id: `i${String(at + 1).padStart(3, "0")}`, ...item }));
  mkdirSync(join(into, "items"), { recursive: true });
  for (let at = 0; at < named.length; at += ITEMS_IN_FILE) {
    const file = `${String(at / ITEMS_IN_FILE + 1).padStart(2, "0")}.txt`;
    writeFileSync(
      join(into, "items", file),
      named
        .slice(at, at + ITEMS_IN_FILE)
        .map(spelled)
        .join("\n"),
    );
  }
  const index = named.map(({ text, ...item }) => item);
  writeFileSync(join(into, "index.json"), `${JSON.stringify(index, null, 1)}\n`);
  process.stdout.write(`${named.length} changes in ${Math.ceil(named.length / ITEMS_IN_FILE)} files\n`);
}
