import type { Tree, TreeCursor } from "web-tree-sitter";
import type { CompiledRules } from "./compiled.js";
import { Syntax } from "./syntax.js";

/**
 * Marks in the token stream. `END` cannot be part of a token, since a text with NUL bytes is never parsed. `OPEN` (with
 * the node's type) and `CLOSE` put the tree's shape into the stream: Python's blocks, JavaScript's statements without semicolons
 * and `() => ({})` against `() => {}` differ by shape alone.
 */
const END = "\u0000";
const OPEN = "\u0001";
const CLOSE = "\u0002\u0000";

const NOT_BLANK = /\S/;

/** Reads a parsed tree into a `Syntax`. Iterative: nesting can be as deep as the file is long. */
export function readTree(tree: Tree, source: string, rules: CompiledRules): Syntax {
  const syntax = new Syntax(source, rules, tree.rootNode.descendantCount);
  const cursor = tree.walk();
  try {
    new Reader(syntax, cursor).run();
  } finally {
    cursor.delete();
  }
  return syntax;
}

class Reader {
  private readonly stream: string[] = [];
  private streamLength = 0;
  /** Where the last token or comment ended. */
  private position = 0;
  /** The nodes that the cursor is inside of. */
  private readonly open: number[] = [];
  private readonly transparent = new Set<number>();
  /** Offset of a comma that is dropped if the next node closes the list. */
  private comma = -1;

  constructor(
    private readonly syntax: Syntax,
    private readonly cursor: TreeCursor,
  ) {}

  run(): void {
    const { cursor, syntax } = this;
    for (;;) {
      if (this.enter()) continue;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) {
          this.finish();
          return;
        }
        this.leave(syntax);
      }
    }
  }

  /** Records the cursor's node. True if the cursor went down to its first child. */
  private enter(): boolean {
    const { cursor, syntax } = this;
    const { rules } = syntax;
    const typeId = cursor.nodeTypeId;
    if (rules.comments[typeId] === 1 && this.skipComment()) return false;
    if (this.comma >= 0) this.settleComma(typeId);
    const node = syntax.count++;
    syntax.type[node] = typeId;
    syntax.field[node] = cursor.currentFieldId;
    syntax.parent[node] = this.open[this.open.length - 1] ?? -1;
    syntax.firstToken[node] = syntax.tokens.length;
    syntax.streamAt[node] = this.streamLength;
    if (rules.mayHaveChildren(typeId) && cursor.gotoFirstChild()) {
      this.open.push(node);
      if (this.isTransparent(node)) this.transparent.add(node);
      else this.emit(OPEN + String.fromCharCode(typeId) + END);
      return true;
    }
    syntax.next[node] = node + 1;
    this.leaf(node, typeId);
    return false;
  }

  private leave(syntax: Syntax): void {
    const node = this.open.pop();
    if (node === undefined) return;
    syntax.next[node] = syntax.count;
    if (this.comma >= 0) this.settleComma();
    if (!this.transparent.has(node)) this.emit(CLOSE);
  }

  private isTransparent(node: number): boolean {
    const { syntax } = this;
    const parent = syntax.parentOf(node);
    return parent >= 0 && syntax.rules.isTransparent(syntax.type[node] ?? 0, syntax.type[parent] ?? 0);
  }

  private finish(): void {
    const { syntax } = this;
    this.gap(syntax.source.length);
    syntax.firstToken[syntax.count] = syntax.tokens.length;
    syntax.streamAt[syntax.count] = this.streamLength;
    syntax.stream = this.stream.join("");
  }

  private skipComment(): boolean {
    const { cursor, syntax } = this;
    const { meaningful } = syntax.rules;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    if (meaningful?.(syntax.source.slice(start, end), syntax.source)) return false;
    this.gap(start);
    this.position = end;
    return true;
  }

  private leaf(node: number, typeId: number): void {
    const { cursor, syntax } = this;
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    this.gap(start);
    this.position = end;
    if (start === end) return;
    const text = syntax.source.slice(start, end);
    const parent = syntax.parentOf(node);
    // A transparent node's own tokens are its brackets.
    if (this.transparent.has(parent) && syntax.rules.named[typeId] !== 1) return;
    const parentTypeId = syntax.type[parent] ?? 0;
    const token = syntax.rules.canonical(typeId, parentTypeId, text);
    if (token === "," && this.mayTrail(parentTypeId)) this.comma = start;
    else if (token !== "") this.token(token, start, end);
  }

  /** A comma after nothing or after another comma is a hole in an array, and counts. */
  private mayTrail(parentTypeId: number): boolean {
    const { rules, tokens } = this.syntax;
    if (rules.trailingComma[parentTypeId] !== 1) return false;
    const before = tokens[tokens.length - 1];
    return before !== "," && before !== "[";
  }

  private settleComma(nextType?: number): void {
    const start = this.comma;
    this.comma = -1;
    const closes = nextType !== undefined && this.syntax.rules.closer[nextType] === 1;
    if (!closes) this.token(",", start, start + 1);
  }

  /** Text that no node covers. White space is layout; anything else the grammar swallowed, and must not be lost. */
  private gap(until: number): void {
    if (until <= this.position) return;
    const text = this.syntax.source.slice(this.position, until);
    if (NOT_BLANK.test(text)) this.token(text.trim(), this.position, until);
  }

  private token(text: string, start: number, end: number): void {
    const { syntax } = this;
    syntax.tokens.push(text);
    syntax.tokenStart.push(start);
    syntax.tokenEnd.push(end);
    this.emit(text + END);
  }

  private emit(text: string): void {
    this.stream.push(text);
    this.streamLength += text.length;
  }
}
