import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "web-tree-sitter";
import { filesOf, lineOf, sourceText, visitNodes } from "../support/sources.js";

/** Pages, and what runs in a user's repository. */
const PUBLIC = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs", "hooks", "templates"];
const EVERYWHERE = [...PUBLIC, "src", "test", "bench", "scripts", "schemas"];

/** Where names, comments, messages and pages must be plain. */
const PLAIN = [...PUBLIC, "src", "schemas"];
/** Where a rule is cited by its name in docs/invariants.md, and by no number. */
const NAMED = EVERYWHERE;

/** The whole list: assert shows only the beginning of long values. */
const none = (found: readonly string[]) => assert.ok(found.length === 0, `${found.length} found:\n${found.join("\n")}`);

const isText = (file: string) => !/\.(png|svg|br)$/.test(file);
const textFiles = (paths: readonly string[]) => paths.flatMap(filesOf).filter(isText);

/** The text with the line breaks of comments removed, so that a name may continue on the next line. */
const joined = (text: string) => text.replace(/\s*\n\s*(?:\*|\/\/|#)?\s*/g, " ");

test("every invariant that is cited has a heading in docs/invariants.md", () => {
  const headings = [...sourceText("docs/invariants.md").matchAll(/^## (.+)$/gm)].map(([, name = ""]) => name);
  const names = new Set(headings.map((name) => name.toLowerCase()));
  assert.ok(names.size > 0);
  const unknown: string[] = [];
  for (const file of textFiles(EVERYWHERE))
    for (const [, name = ""] of joined(sourceText(file)).matchAll(/\binvariants? \\?["“]([^"”\\]+)/gi))
      if (!names.has(name.toLowerCase()) && !name.includes("$")) unknown.push(`${file}: ${name}`);
  none(unknown);
});

test("no rule is cited by a number", () => {
  const found: string[] = [];
  for (const file of textFiles(NAMED))
    for (const [citation] of sourceText(file).matchAll(/\b[Ll]aws? \d+|\bSPEC\b|\u00a7/g))
      found.push(`${file}: ${citation}`);
  none(found);
});

/** Not to be used in sentences, and what to write: the term of the glossary, or what really happens. */
const BANNED_IN_SENTENCES: [words: string, instead: string][] = [
  ["proofs?|proven", "freshness stamp; for a test: test, check"],
  ["views?", "worktree"],
  ["runners?", "worker"],
  ["houses?|guests?", "hook manager, hook environment; others' files"],
  ["told|spoken|speaks?|spoke", "notify, report, print, message"],
  ["stor(?:y|ies)", "explanation, history"],
  ["prose", "description"],
  ["judges?|judged|judging|judge?ments?", "verify, compare, decide; verdict"],
  ["wish(?:es)?", "option"],
  ["news", "change, notification"],
  ["laid over|laid", "added"],
  ["somebody|nobody|whoever|everybody", "the actor: the user, a process, another tool"],
  ["for ever", "permanently, always"],
  ["for known", "mark as up to date"],
  ["let the hooks rest", "disable the hooks"],
  ["doubles", "duplicates"],
];

/** Not to be a part of a name: `saidNow`, `Wish`, `lookAround`. A part is one word of a camelCase name. */
const BANNED_IN_NAMES: [parts: string, instead: string][] = [
  ["proofs?|proven", "stamp"],
  ["views?", "worktree"],
  ["runner", "worker"],
  ["houses?|guest", "hook manager, HookEnvironment"],
  ["told|tell|tells|spoken|speaks?", "notified, message; analyze"],
  ["said|saying", "summary, message"],
  ["stor(?:y|ies)", "explanation"],
  ["prose", "description"],
  ["judges?|judged|judging|judge?ments?", "verify, compare; verdict, result"],
  ["wish", "options"],
  ["laid|standing|occasion", "what it is: UncommittedChange, RegistryState, HookInput"],
  ["news", "changes, notification"],
  ["patience|patient", "deadline, waitDeadline"],
  ["trouble", "error: toUserError"],
  ["somebody|nobody|whoever", "the actor"],
];

/** Whole names, or beginnings of names, whose parts are harmless by themselves. */
const BANNED_NAMES: [name: RegExp, instead: string][] = [
  [/^(?:lookAround|lookAfter)/, "detect, checkInstallation"],
  [/^(?:moveIn|moveOut)$/, "install, uninstall"],
  [/^byHand$|^by-hand$/, "allowTracked"],
  [/^(?:isWanted|letOthersIn)$/, "hasWaiter, yieldLock"],
  [/^(?:afterwards|keepHouse|isOfTheDead)$/, "deferredTasks, housekeeping, isOrphan"],
  [/^noteMade$/, "recordCreated"],
  [/^words(?:For|From|Of)|Words$/, "format…, …Text"],
];

const sentencePattern = (words: string) => new RegExp(`(?<![\\w./-])(?:${words})(?![\\w/]|[.-]\\w)`, "gi");
const SENTENCE_RULES = BANNED_IN_SENTENCES.map(([words, instead]) => ({ pattern: sentencePattern(words), instead }));
const NAME_RULES = BANNED_IN_NAMES.map(([parts, instead]) => ({ pattern: new RegExp(`^(?:${parts})$`), instead }));

const inSentence = (text: string): string[] =>
  SENTENCE_RULES.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(([word]) => `"${word}" (${instead})`),
  );

function inName(name: string): string[] {
  const parts = (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((part) => part.toLowerCase());
  const byPart = NAME_RULES.filter(({ pattern }) => parts.some((part) => pattern.test(part)));
  const whole = BANNED_NAMES.filter(([pattern]) => pattern.test(name)).map(([, instead]) => ({ instead }));
  return [...byPart, ...whole].map(({ instead }) => `"${name}" (${instead})`);
}

/** Sentences in code have spaces, and SQL is not English. */
const isSentence = (text: string) =>
  /\S \S/.test(text) && !/\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|FROM)\b/.test(text);

/** Names on disk, in JSON and of commands are in backquotes in a page, and are no part of its sentences. */
const withoutCode = (text: string) => text.replace(/`[^`\n]+`/g, "`…`");

function inLines(file: string, find: (line: string) => string[]): string[] {
  return sourceText(file)
    .split("\n")
    .flatMap((line, at) => find(line).map((what) => `${file}:${at + 1} ${what}`));
}

/** A shell script: its comments, and the names of its variables and functions. */
function inShell(line: string): string[] {
  const comment = /(?:^|\s)#\s(.*)/.exec(line)?.[1] ?? "";
  const names = (line.match(/\bua_\w+/g) ?? []).map((name) => name.slice("ua_".length));
  return [...inSentence(withoutCode(comment)), ...names.flatMap(inName)];
}

/** Names of JavaScript and of the browser. */
const FOREIGN = new Set(["DataView", "viewBox", "scrollIntoView"]);
/** Keys of the JSON that commands print, and columns of state.db: programs read them, so they stay. */
const PUBLIC_KEYS = new Set(["view", "said", "speaks", "judged"]);
const isKept = ({ text, type }: Node) => FOREIGN.has(text) || (PUBLIC_KEYS.has(text) && type.includes("property"));

async function inCode(files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const isWanted = (type: string) => type === "comment" || type === "string_fragment" || type.endsWith("identifier");
  await visitNodes(files, isWanted, (node, file) => {
    const at = `${file}:${lineOf(node)}`;
    const isText = node.type === "comment" || (node.type === "string_fragment" && isSentence(node.text));
    if (isText) found.push(...inSentence(withoutCode(joined(node.text))).map((what) => `${at} ${what}`));
    else if (node.type.endsWith("identifier") && !isKept(node))
      found.push(...inName(node.text).map((what) => `${at} ${what}`));
  });
  return found;
}

test("names, comments, messages and pages use plain terms", async () => {
  const files = textFiles(PLAIN);
  const found = files.flatMap((file) => {
    const names = file.split(/[/.]/).flatMap((name) => inName(name).map((what) => `${file} ${what}`));
    if (/\.(ts|mjs|js)$/.test(file)) return names;
    const find = file.endsWith(".sh") ? inShell : (line: string) => inSentence(withoutCode(line));
    return [...names, ...inLines(file, find)];
  });
  found.push(...(await inCode(files.filter((file) => /\.(ts|mjs|js)$/.test(file)))));
  none(found);
});
