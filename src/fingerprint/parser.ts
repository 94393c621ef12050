import { createRequire } from "node:module";
import type { Parser, Tree } from "web-tree-sitter";
import { clock } from "../platform/clock.js";
import { isOver, OutOfTime } from "../platform/deadline.js";
import { useBaselineCompiler } from "../platform/wasm-compiler.js";
import { blankComments, blankInLines, hasInnerComment } from "./comments.js";
import { CompiledRules } from "./compiled.js";
import { countParses } from "./count.js";
import { findComments, type Span } from "./find-comments.js";
import { grammarFile, hasGrammarFile, readGrammarFile } from "./grammar-files.js";
import type { SourceLanguage } from "./languages.js";
import { type ParsedText, readTree, type TreeReader } from "./reader.js";
import type { Syntax } from "./syntax.js";
import type { TreeSitterModule } from "./tree.js";
import { TreeWalk } from "./tree-walk.js";

/** A grammar that is loaded, with its language's rules in its own numbers. */
export interface LoadedLanguage {
  /** Undefined if the time ran out. */
  parse(text: string, budgetMs: number): Syntax | undefined;
}

interface Runtime {
  treeSitter: typeof import("web-tree-sitter");
  module: TreeSitterModule;
}

let runtime: Promise<Runtime> | undefined;
const loaded = new Map<string, Promise<LoadedLanguage>>();

let fewFilesAhead = false;

/**
 * For a process that will parse less than some hundred files: V8's baseline compiler alone then takes less time, a third
 * for the first ones. Only counts before the first grammar is loaded.
 */
export function prepareParser(): void {
  fewFilesAhead = true;
}

export function hasGrammar({ name, grammar }: SourceLanguage): boolean {
  return loaded.has(name) || hasGrammarFile(`${grammar}.wasm`);
}

/**
 * web-tree-sitter lies beside the grammars as a file of its own, not in the bundle: only so can it be loaded a second time
 * after a grammar's scanner wrote where it should not have. Its memory is then good for nothing more.
 */
async function startRuntime(): Promise<Runtime> {
  const load = createRequire(grammarFile("tree-sitter.cjs"));
  const treeSitter: Runtime["treeSitter"] = load(grammarFile("tree-sitter.cjs"));
  // Late: what V8 has compiled and kept (of Node's modules, of ours: hook/code-cache.ts) holds for other flags no more.
  if (fewFilesAhead) useBaselineCompiler();
  const code = await wasm.compile(readGrammarFile("tree-sitter.wasm"));
  const module: EmscriptenModule = {
    instantiateWasm: (imports, done) => done(new wasm.Instance(code, imports), code),
    printErr: () => {}, // "Aborted()", which is thrown as well
  };
  await treeSitter.Parser.init(module);
  const { loadWebAssemblyModule: link } = module;
  if (link !== undefined) module.loadWebAssemblyModule = (key, flags) => link(compiled.get(key) ?? key, flags);
  return { treeSitter, module: module as unknown as TreeSitterModule };
}

/** Node's declarations have only a namespace. */
interface WasmEngine {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (code: object, imports: object) => object;
}
const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: WasmEngine };

/** The parts of Emscripten's module that decide what is compiled, and when. */
interface EmscriptenModule {
  printErr(text: string): void;
  instantiateWasm(imports: object, done: (instance: object, code: object) => void): void;
  loadWebAssemblyModule?(binary: object, flags: object): unknown;
}

/** Grammars by what Language.load is given in their place: it takes bytes only, and would compile them when it is called. */
const compiled = new WeakMap<object, object>();

/** Forgets all that is loaded; the next text gets a new WASM instance. */
export function dropRuntime(): void {
  const { cache } = createRequire(grammarFile("tree-sitter.cjs"));
  delete cache[grammarFile("tree-sitter.cjs")];
  runtime = undefined;
  loaded.clear();
}

/** Loads a language once per process. */
export function loadLanguage(language: SourceLanguage): Promise<LoadedLanguage> {
  const known = loaded.get(language.name);
  if (known !== undefined) return known;
  const loading = load(language);
  loaded.set(language.name, loading);
  // A failed load is reported to the caller that waits for it, and tried again by the next.
  loading.catch(() => loaded.delete(language.name));
  return loading;
}

async function load(language: SourceLanguage): Promise<LoadedLanguage> {
  const described = await language.load();
  runtime ??= startRuntime();
  // V8 compiles both in other threads, at once.
  const loading = wasm.compile(readGrammarFile(`${language.grammar}.wasm`));
  const [{ treeSitter, module }, code] = await Promise.all([runtime, loading]);
  const key = new Uint8Array();
  compiled.set(key, code);
  const grammar = await treeSitter.Language.load(key);
  const parser = new treeSitter.Parser();
  parser.setLanguage(grammar);
  const rules = new CompiledRules(described, grammar);
  const reader: TreeReader = { rules, walk: new TreeWalk(module, grammar) };
  return {
    parse(source, budgetMs) {
      countParses(1);
      const deadline = clock() + budgetMs;
      const { lexer } = described.tokens;
      const blank = lexer?.isC ? blankInLines : blankComments;
      const read = (comments: readonly Span[]) => {
        const parsed = comments.length === 0 ? source : blank(source, comments);
        return parseAndRead(parser, reader, { source, parsed, comments }, deadline);
      };
      if (lexer !== undefined) return read(findComments(source, lexer))?.syntax;
      const first = read([]);
      // Perhaps a comment stands where the grammar knows none.
      const isDoubtful = first?.hasErrors === true && hasInnerComment(source, first.syntax.comments);
      return isDoubtful ? read(first.syntax.comments)?.syntax : first?.syntax;
    },
  };
}

interface ReadText {
  syntax: Syntax;
  hasErrors: boolean;
}

/** Undefined if the time ran out. */
function parseAndRead(parser: Parser, reader: TreeReader, text: ParsedText, deadline: number): ReadText | undefined {
  const tree = parseUntil(parser, text.parsed, deadline);
  if (tree === null) return undefined;
  try {
    return { syntax: readTree(reader, tree, text), hasErrors: tree.rootNode.hasError };
  } finally {
    tree.delete();
  }
}

/**
 * Null if the time ran out. The parser then starts afresh with the next text. It asks `progressCallback` between two of its steps, but
 * a scanner can read the text again and again in one step (20,000 times `#` in Swift): then the text ends for it.
 */
function parseUntil(parser: Parser, text: string, deadline: number): Tree | null {
  let isLate = false;
  const checkTime = () => {
    isLate ||= clock() > deadline || isOver();
    return isLate;
  };
  const read = (index: number) => (checkTime() ? "" : text.slice(index));
  const tree = parser.parse(read, null, { progressCallback: checkTime });
  if (!isLate && tree !== null) return tree;
  if (tree === null) parser.reset();
  else tree.delete();
  if (isOver()) throw new OutOfTime();
  return null;
}
