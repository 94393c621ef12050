import type { Tree } from "web-tree-sitter";
import { withoutComments } from "./comments.js";
import type { CompiledRules } from "./compiled.js";
import type { Span } from "./find-comments.js";
import { ERROR, Syntax } from "./syntax.js";
import type { Visitor } from "./tree.js";
import type { TreeWalk } from "./tree-walk.js";

const COMMA = 44;
const BACKSLASH = 92;
/** U+0085, U+200B and U+2060 are no white space to a regular expression, but to some grammars. */
const UNICODE_BLANK = /[\s\u0085\u200b\u2060]/;
/** Stands for a token that the parser missed. */
const ABSENT = "\u001a?";
/** What a comment begins with, in any of the languages; also what only continues a line, and a folding mark of C#. */
const COMMENT = /^(?:\/\/|\/\*|#|--|<!--|\\|=begin)/;

/** What is needed to read the trees of one grammar. */
export interface TreeReader {
  rules: CompiledRules;
  walk: TreeWalk;
}

/** A text; `parsed` is what the parser was given, which may have blanks in place of these comments. */
export interface ParsedText {
  source: string;
  parsed: string;
  comments: readonly Span[];
}

/** Reads a parsed tree into a `Syntax`. */
export function readTree({ rules, walk }: TreeReader, tree: Tree, text: ParsedText): Syntax {
  const syntax = new Syntax(text.source, rules, tree.rootNode.descendantCount);
  for (const comment of text.comments) syntax.comments.push(comment);
  const reader = new Reader(syntax, text.parsed);
  walk.visit(tree, reader);
  reader.finish();
  return syntax;
}

/**
 * Every character of the text that is no white space and in no comment becomes a part of a token, whatever the tree says:
 * text that no node covers is a token of its own.
 */
class Reader implements Visitor {
  /** Where the last token or comment ended. */
  private last = 0;
  /** The first character after that which counts. */
  private position = 0;
  /** The nodes that the walk is inside of. */
  private readonly open: number[] = [];
  private readonly transparent = new Set<number>();
  /** How many of the open nodes are what the parser could not make sense of: there no token is optional. */
  private errors = 0;
  /** A comma that is dropped if the next node closes the list. */
  private comma = -1;
  /** The last statement that only documents. */
  private documentation = -1;
  private commaStart = 0;
  /** The run of blanks that was read last, outside of errors and inside of them. */
  private readonly blank = { start: 0, end: 0 };
  private readonly blankInErrors = { start: 0, end: 0 };

  constructor(
    private readonly syntax: Syntax,
    private readonly text: string,
  ) {
    this.skipBlank();
  }

  finish(): void {
    this.gap(this.text.length);
    if (this.open.length > 0) this.leave(); // an empty file
    this.syntax.pieceEnd[0] = this.syntax.pieces.count;
  }

  enter(typeId: number, fieldId: number, start: number, end: number, isParent: boolean): boolean {
    const { syntax, open } = this;
    const { rules, pieces } = syntax;
    if (rules.comments[typeId] === 1 && this.skipComment(start, end)) return false;
    if (this.comma >= 0) this.settleComma(typeId);
    if (this.position < start) this.gap(start);
    if (typeId === ERROR) this.enterError();
    const node = syntax.count++;
    const parent = open.length === 0 ? -1 : (open[open.length - 1] as number);
    const parentTypeId = parent < 0 ? 0 : (syntax.type[parent] as number);
    syntax.type[node] = typeId;
    syntax.field[node] = fieldId;
    syntax.parent[node] = parent;
    syntax.start[node] = start;
    syntax.end[node] = end;
    syntax.next[node] = node + 1; // until `leave`
    syntax.pieceStart[node] = pieces.count;
    if (rules.ownLine[typeId] === 1 && this.isJoined(parent, start)) pieces.tokenAs("\n", start, start);
    if (rules.frame[parentTypeId] === 1 && rules.named[typeId] === 1) pieces.separate();
    // An empty file is one without comments: its root is read as if it had children.
    if ((isParent && rules.leaf[typeId] !== 1) || node === 0) {
      open.push(node);
      if (this.errors === 0 && rules.isTransparent(typeId, parentTypeId)) this.transparent.add(node);
      else pieces.open(typeId, rules.frame[typeId] === 1);
      return true;
    }
    const fixed = rules.fixed[typeId];
    if (fixed === undefined || !this.fixedToken(node, typeId, parentTypeId, fixed))
      this.leaf(node, typeId, parentTypeId, start, end);
    syntax.pieceEnd[node] = pieces.count;
    if (typeId === ERROR) this.errors--;
    return false;
  }

  /** Brackets that mean nothing do where one of them is not there: `return (x` is not `return x`. */
  missing(typeId: number): void {
    const { open, syntax, position } = this;
    if (this.transparent.has(open.at(-1) ?? 0) && syntax.rules.named[typeId] !== 1)
      syntax.pieces.tokenAs(ABSENT, position, position);
  }

  /** Whether something of the parent stands before this place, on another line. */
  private isJoined(parent: number, start: number): boolean {
    const { pieces, pieceStart } = this.syntax;
    let first = pieceStart[parent] ?? pieces.count;
    while (first < pieces.count && pieces.isMark(first)) first++;
    if (first === pieces.count) return false;
    return this.text
      .slice(this.last, start)
      .replace(/\\\r?\n/g, "")
      .includes("\n");
  }

  private enterError(): void {
    this.errors++;
    this.position = this.last;
    this.skipBlank();
  }

  leave(): void {
    const { syntax } = this;
    const node = this.open.pop() ?? 0;
    const typeId = syntax.type[node] as number;
    syntax.next[node] = syntax.count;
    if (this.comma >= 0) this.settleComma();
    if (typeId === ERROR) this.errors--;
    if (syntax.rules.documenting[typeId] === 1 && this.errors === 0 && this.isDocumentation(node)) {
      syntax.pieces.silence(syntax.pieceStart[node] as number);
      this.documentation = node;
    } else this.close(node, typeId);
    syntax.pieceEnd[node] = syntax.pieces.count;
  }

  private isDocumentation(node: number): boolean {
    return this.syntax.rules.language.tokens.documentation?.isDocumentation(this.syntax, node) === true;
  }

  private close(node: number, typeId: number): void {
    const { rules, pieces } = this.syntax;
    if (this.documentation > 0 && this.documentation === node + 1) this.replaceDocumentation(node);
    if (this.transparent.size === 0 || !this.transparent.has(node)) pieces.close(rules.frame[typeId] === 1);
  }

  /** A block that only documents is one that does nothing; a module needs no statement for that. */
  private replaceDocumentation(block: number): void {
    const { rules, pieces, pieceStart, pieceEnd } = this.syntax;
    const statement = block + 1;
    const { empty } = rules.language.tokens.documentation ?? {};
    if (block === 0 || empty === undefined || pieceEnd[statement] !== pieces.count) return;
    pieces.replaceSilenced(pieceStart[statement] as number, rules.emptyType, empty[1]);
  }

  private skipComment(start: number, end: number): boolean {
    const { rules, comments } = this.syntax;
    const comment = this.text.slice(start, end);
    if (!COMMENT.test(comment) || rules.meaningful?.(comment, this.text)) return false;
    this.gap(start);
    comments.push([start, end] satisfies Span);
    this.advance(end);
    return true;
  }

  /** A keyword or punctuation: its text is its type, if the source agrees. */
  private fixedToken(node: number, typeId: number, parentTypeId: number, text: string): boolean {
    const { rules } = this.syntax;
    const start = this.position;
    if (!this.text.startsWith(text, start)) return false;
    this.advance(start + text.length);
    const isKept = this.errors > 0 || rules.special[typeId] !== 1 || rules.canonical(typeId, parentTypeId, text) !== "";
    if (isKept) this.keep(node, start, start + text.length);
    return true;
  }

  private leaf(node: number, typeId: number, parentTypeId: number, nodeStart: number, nodeEnd: number): void {
    const { pieces, rules } = this.syntax;
    if (nodeEnd <= this.last) return;
    const isAtom = rules.isAtom(typeId);
    let start = Math.min(this.position, nodeEnd);
    let end = nodeEnd;
    // Inside an atom white space counts, also at both ends.
    if (isAtom) start = rules.greedy[typeId] === 1 ? this.last : nodeStart;
    else while (end > start && this.text.charCodeAt(end - 1) <= 32) end--;
    this.advance(nodeEnd);
    if (start >= end) return;
    const isPlain = !isAtom && (this.errors > 0 || rules.named[typeId] !== 0);
    const text = isPlain ? "" : this.text.slice(start, end);
    const token = isPlain ? "" : rules.canonical(typeId, parentTypeId, text);
    if (token === text) this.keep(node, start, end);
    else if (token !== "") pieces.tokenAs(token, start, end);
  }

  private keep(node: number, start: number, end: number): void {
    const { pieces } = this.syntax;
    if (end === start + 1 && this.errors === 0) {
      if (this.isBracket(node)) return;
      if (this.text.charCodeAt(start) === COMMA && this.mayTrail(this.syntax.parentOf(node))) {
        this.comma = node;
        this.commaStart = start;
        return;
      }
    }
    pieces.token(start, end);
  }

  /** A transparent node's own tokens are its brackets. */
  private isBracket(node: number): boolean {
    if (this.transparent.size === 0) return false;
    return this.transparent.has(this.syntax.parentOf(node)) && !this.syntax.isNamed(node);
  }

  /** A comma after nothing or after another comma is a hole in an array, and counts. */
  private mayTrail(parent: number): boolean {
    const { rules, pieces, type } = this.syntax;
    if (rules.trailingComma[type[parent] ?? 0] !== 1) return false;
    const before = pieces.text(pieces.count - 1);
    return before !== "," && before !== "[";
  }

  private settleComma(nextType?: number): void {
    const { syntax } = this;
    const node = this.comma;
    this.comma = -1;
    if (nextType !== undefined && syntax.rules.closer[nextType] === 1) return;
    syntax.pieces.token(this.commaStart, this.commaStart + 1);
    syntax.pieceEnd[node] = syntax.pieces.count;
  }

  private advance(to: number): void {
    this.last = to;
    this.position = to;
    this.skipBlank();
  }

  /**
   * A run of blanks is read once, however many nodes the parser finds in it: the rest of one is known. Inside of what the parser could not make
   * sense of other characters are blank, so there are two.
   */
  private skipBlank(): void {
    const run = this.errors > 0 ? this.blankInErrors : this.blank;
    if (this.position < run.start || this.position > run.end) {
      run.start = this.position;
      run.end = this.position;
    }
    while (this.isBlank(run.end)) run.end++;
    this.position = run.end;
  }

  /** False at the end of the text. */
  private isBlank(at: number): boolean {
    const code = this.text.charCodeAt(at);
    if (code <= 32 || code === 0xfeff) return true;
    if (code === this.syntax.rules.hidden) return this.errors === 0;
    // A backslash at the end of a line only continues it, in every language that has them between tokens.
    return code === BACKSLASH && /^\\\r?\n/.test(this.text.slice(at, at + 3));
  }

  /** Text that no node covers: the grammar gave up on it, and it must not be lost. */
  private gap(until: number): void {
    for (this.skipUncoveredBlank(until); this.position < until; this.skipUncoveredBlank(until)) {
      if (this.skipUncovered(until)) continue;
      const { pieces, gaps, comments, source } = this.syntax;
      const start = this.position;
      // The first character is no blank, so the token is never empty.
      let end = start + 1;
      for (let at = end; at < until; at++) if (!this.isUncoveredBlank(at)) end = at + 1;
      gaps.push(pieces.count);
      if (this.text === source) pieces.token(start, end);
      else pieces.tokenAs(withoutComments(source, [start, end], comments), start, end);
      this.advance(end);
    }
  }

  private skipUncoveredBlank(until: number): void {
    while (this.position < until && this.isUncoveredBlank(this.position)) this.position++;
  }

  /** Outside of nodes a grammar takes these for white space; inside of one they may be a part of a name, as in Ruby and Bash. */
  private isUncoveredBlank(at: number): boolean {
    return this.isBlank(at) || (this.errors === 0 && UNICODE_BLANK.test(this.text[at] as string));
  }

  private skipUncovered(until: number): boolean {
    const { rules, comments } = this.syntax;
    const { uncovered } = rules.language.tokens;
    if (uncovered === undefined || this.errors > 0) return false;
    const [comment = ""] = uncovered.exec(this.text.slice(this.position, until)) ?? [];
    if (comment === "") return false;
    comments.push([this.position, this.position + comment.length]);
    this.advance(this.position + comment.length);
    return true;
  }
}
