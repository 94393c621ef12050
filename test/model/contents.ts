/**
 * What files contain, for the model and for real clones alike: a small part of TypeScript. A content is data that the model compares; its text is
 * what a real clone commits. Everything that the program computes from a text with a parser is computed here from the data.
 */

export interface FunctionContent {
  name: string;
  /** How many parameters: the signature. */
  params: number;
  /** How many loops: the behaviour. */
  loops: number;
  /** A number in the body that changes neither signature nor behaviour. */
  body: number;
  /** Too few tokens to be known under another name. */
  isShort: boolean;
  /** Twelve more lines: for the rule about size. */
  isTall: boolean;
  /** The author's sentence; 0 for none. */
  sentence: number;
}

export interface FileContent {
  /** A comment at the top; changing it is cosmetic. */
  comment: number;
  /** Names of modules. */
  imports: readonly number[];
  /** A constant that is not exported. */
  constant: number;
  /** How often the module calls something. */
  calls: number;
  functions: readonly FunctionContent[];
}

/** A text that some file has, or had: the model's blobs are texts. */
export type Blob = string;

const contents = new Map<Blob, FileContent>();

/** The text of a content; `contentOf` leads back. */
export function textOf(content: FileContent): Blob {
  const lines = [
    `// ${content.comment}`,
    ...content.imports.map((module) => `import { thing${module} } from "./module${module}.js";`),
    `const constant = ${content.constant};`,
    ...Array.from({ length: content.calls }, () => "start(constant);"),
    ...content.functions.flatMap((one) => [
      "",
      ...(one.sentence > 0 ? [`/** ${sentenceOf(one)} */`] : []),
      codeOf(one),
    ]),
  ];
  const text = `${lines.join("\n")}\n`;
  if (!contents.has(text)) contents.set(text, content);
  return text;
}

export function contentOf(blob: Blob): FileContent {
  const content = contents.get(blob);
  if (content === undefined) throw new Error(`no content of the model: ${blob}`);
  return content;
}

const sentenceOf = ({ name, sentence }: FunctionContent) => `What ${name} does, said ${sentence} times.`;

/** Loops stand in one line: behaviour changes without a change of size. */
function codeOf({ name, params, loops, body, isShort, isTall }: FunctionContent): string {
  const parameters = Array.from({ length: params }, (_, at) => `p${at}`).join(", ");
  const inner = [
    ...Array.from({ length: isTall ? 12 : 0 }, (_, at) => `  void ${at};`),
    `  ${"while (constant) break; ".repeat(loops)}return ${isShort ? "" : "constant + ".repeat(6)}${body};`,
  ];
  return `export function ${name}(${parameters}) {\n${inner.join("\n")}\n}`;
}

/** What a description or an answer is about. `imports` is what a file imports; it has no node of its own, and is asked about with its file. */
export type SymbolType = "file" | "imports" | "function";

/** A symbol at one content: all that its drift depends on. */
export interface SymbolState {
  type: SymbolType;
  /** Empty for a file and its imports. */
  name: string;
  /** Equal tokens; comments do not count. */
  hash: string;
  /** Equal tokens but for the name; null for a symbol of few tokens. */
  bare: string | null;
  signature: string;
  behaviour: string;
  /** 0 where size says nothing. */
  lines: number;
}

/** `type name`: a symbol in its file. */
export const keyOf = ({ type, name }: Pick<SymbolState, "type" | "name">) => `${type} ${name}`;

/** With fewer tokens functions are equal by chance. */
const LEAST_TOKENS = 20;

const states = new Map<Blob, ReadonlyMap<string, SymbolState>>();

/** Every symbol of a content by its key. */
export function symbolsOf(blob: Blob): ReadonlyMap<string, SymbolState> {
  let known = states.get(blob);
  if (known === undefined) {
    known = new Map(statesOf(contentOf(blob)).map((state) => [keyOf(state), state]));
    states.set(blob, known);
  }
  return known;
}

/** Of a path of a tree; none where it has no such path. */
export function symbolsIn(tree: Tree, path: string): ReadonlyMap<string, SymbolState> {
  const blob = tree[path];
  return blob === undefined ? new Map() : symbolsOf(blob);
}

function statesOf({ imports, constant, calls, functions }: FileContent): SymbolState[] {
  const signature = functions
    .map(({ name, params }) => `${name}(${params})`)
    .sort()
    .join(" ");
  const file: SymbolState = {
    type: "file",
    name: "",
    hash: `file ${constant} ${calls} ${signature}`,
    bare: null,
    signature,
    behaviour: String(calls),
    lines: 0,
  };
  const imported = [...imports].sort().join();
  const beside: SymbolState = {
    type: "imports",
    name: "",
    hash: `imports ${imported}`,
    bare: null,
    signature: imported,
    behaviour: "",
    lines: 0,
  };
  return [file, beside, ...functions.map(stateOfFunction)];
}

function stateOfFunction(one: FunctionContent): SymbolState {
  const code = codeOf(one);
  const tokens = code.match(/\w+|[^\s\w]/g) ?? [];
  return {
    type: "function",
    name: one.name,
    hash: code,
    bare: tokens.length < LEAST_TOKENS ? null : codeOf({ ...one, name: "…" }),
    signature: String(one.params),
    behaviour: String(one.loops),
    lines: code.split("\n").length,
  };
}

/** What a node says that nobody described: the author's sentence, or plain facts. */
export function generatedText(blob: Blob, { type, name }: Pick<SymbolState, "type" | "name">): string {
  const { functions } = contentOf(blob);
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  if (type === "file") {
    const lines = blob.split("\n").length - 1;
    return `TypeScript file ${functions.length > 0 ? `with ${count(functions.length, "function")}` : `of ${count(lines, "line")}`}`;
  }
  const one = functions.find((found) => found.name === name);
  if (one === undefined) throw new Error(`no function ${name}`);
  return one.sentence > 0 ? sentenceOf(one) : `Exported function with ${count(one.params, "parameter")}`;
}

/** Two contents differ in structure: what Understand-Anything's own comparison of fingerprints sees. */
export function isSameShape(a: Blob, b: Blob): boolean {
  const [before, after] = [symbolsOf(a), symbolsOf(b)];
  if (before.size !== after.size) return false;
  return [...before].every(([key, one]) => {
    const other = after.get(key);
    return other !== undefined && one.signature === other.signature && !isOtherSize(one.lines, other.lines);
  });
}

/** Half as many lines again, or fewer than half of them. */
export const isOtherSize = (before: number, after: number) =>
  before > 0 && (after > before * 1.5 || after < before * 0.5);

/** In percent of lines, as git counts; 100 for equal texts. */
export function similarity(a: Blob, b: Blob): number {
  if (a === b) return 100;
  const [small, large] = a.length < b.length ? [a, b] : [b, a];
  const lines: string[] = small.match(/[^\n]*\n/g) ?? [];
  let shared = 0;
  for (const line of large.match(/[^\n]*\n/g) ?? []) {
    const at = lines.indexOf(line);
    if (at < 0) continue;
    lines.splice(at, 1);
    shared += line.length;
  }
  return Math.min(99, Math.floor((shared / large.length) * 100));
}

export type Tree = Readonly<Record<string, Blob>>;

/** Files that went and files that came with an equal or a similar content, each used once: equal ones first, then the most similar. */
export function renamesBetween(before: Tree, after: Tree): { from: string; to: string }[] {
  const pairs: { from: string; to: string; similar: number }[] = [];
  for (const [from, was] of Object.entries(before)) {
    for (const [to, is] of Object.entries(after)) {
      const similar = similarity(was, is);
      if (similar >= 50) pairs.push({ from, to, similar });
    }
  }
  const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const sameName = ({ from, to }: { from: string; to: string }) => (base(from) === base(to) ? 0 : 1);
  pairs.sort((a, b) => b.similar - a.similar || sameName(a) - sameName(b) || (a.from + a.to < b.from + b.to ? -1 : 1));
  const taken = new Set<string>();
  return pairs.flatMap(({ from, to }) => {
    if (taken.has(`from ${from}`) || taken.has(`to ${to}`)) return [];
    taken.add(`from ${from}`).add(`to ${to}`);
    return [{ from, to }];
  });
}

/** What left a tree and what came into it. */
export function leftAndCame(before: Tree, after: Tree): [left: Tree, came: Tree] {
  const without = (tree: Tree, other: Tree) =>
    Object.fromEntries(Object.entries(tree).filter(([path]) => other[path] === undefined));
  return [without(before, after), without(after, before)];
}
