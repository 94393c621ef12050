import type { Tree } from "web-tree-sitter";
import type { CompiledRules } from "./compiled.js";
import { Cursor, type TreeSitterModule } from "./cursor.js";
import { Syntax } from "./syntax.js";

/**
 * `OPEN` (with the node's type) and `CLOSE` put the tree's shape among the tokens: Python's blocks, JavaScript's statements
 * without semicolons, and `() => ({})` against `() => {}` differ by shape alone.
 */
const OPEN = "\u0001";
const CLOSE = "\u0002";

/** Reads a parsed tree into a `Syntax`. Iterative: nesting can be as deep as the file is long. */
export function readTree(module: TreeSitterModule, tree: Tree, source: string, rules: CompiledRules): Syntax {
  const syntax = new Syntax(source, rules, tree.rootNode.descendantCount);
  const cursor = new Cursor(module, tree);
  try {
    new Reader(syntax, cursor).run();
  } finally {
    cursor.close();
  }
  return syntax;
}

/**
 * Every question to the cursor is a call into WASM, and they are most of the time that a file takes. So it is not asked
 * where a token begins (after the white space) nor, for keywords and punctuation, where it ends.
 */
class Reader {
  /** Where the last token or comment ended. */
  private position = 0;
  /** The nodes that the cursor is inside of. */
  private readonly open: number[] = [];
  private readonly transparent = new Set<number>();
  /** A comma that is dropped if the next node closes the list. */
  private comma = -1;
  private commaEnd = 0;

  constructor(
    private readonly syntax: Syntax,
    private readonly cursor: Cursor,
  ) {}

  run(): void {
    const { cursor } = this;
    for (;;) {
      if (this.enter()) continue;
      while (!cursor.nextSibling()) {
        if (!cursor.parent()) {
          this.gap(this.syntax.source.length);
          return;
        }
        this.leave();
      }
    }
  }

  /** Records the cursor's node. True if the cursor went down to its first child. */
  private enter(): boolean {
    const { cursor, syntax } = this;
    const { rules } = syntax;
    const typeId = cursor.typeId();
    if (rules.comments[typeId] === 1 && this.skipComment()) return false;
    if (this.comma >= 0) this.settleComma(typeId);
    const node = syntax.count++;
    const parent = this.open[this.open.length - 1] ?? -1;
    const parentTypeId = syntax.type[parent] ?? 0;
    syntax.type[node] = typeId;
    if (rules.fieldless[parentTypeId] !== 1) syntax.field[node] = cursor.fieldId();
    syntax.parent[node] = parent;
    syntax.pieceStart[node] = syntax.pieces.length;
    if (rules.leaf[typeId] !== 1 && cursor.firstChild()) {
      this.open.push(node);
      if (rules.isTransparent(typeId, parentTypeId)) this.transparent.add(node);
      else syntax.pieces.push(OPEN + String.fromCharCode(typeId));
      return true;
    }
    syntax.next[node] = node + 1;
    if (rules.fixed[typeId] === undefined) this.leaf(node, typeId, parentTypeId);
    else this.fixedToken(node, typeId, parentTypeId);
    syntax.pieceEnd[node] = syntax.pieces.length;
    return false;
  }

  private leave(): void {
    const { syntax } = this;
    const node = this.open.pop() ?? 0;
    syntax.next[node] = syntax.count;
    if (this.comma >= 0) this.settleComma();
    if (!this.transparent.has(node)) syntax.pieces.push(CLOSE);
    syntax.pieceEnd[node] = syntax.pieces.length;
  }

  private skipComment(): boolean {
    const { cursor, syntax } = this;
    const { meaningful } = syntax.rules;
    const start = cursor.start();
    const end = cursor.end();
    if (meaningful?.(syntax.source.slice(start, end), syntax.source)) return false;
    this.gap(start);
    this.position = end;
    return true;
  }

  /** A keyword or punctuation: its text is its type, if the source agrees. */
  private fixedToken(node: number, typeId: number, parentTypeId: number): void {
    const { rules, source } = this.syntax;
    const text = rules.fixed[typeId] ?? "";
    const start = this.skipBlank();
    if (!source.startsWith(text, start)) {
      this.leaf(node, typeId, parentTypeId);
      return;
    }
    this.position = start + text.length;
    this.keep(
      node,
      rules.special[typeId] === 1 ? rules.canonical(typeId, parentTypeId, text) : text,
      start,
      this.position,
    );
  }

  private leaf(node: number, typeId: number, parentTypeId: number): void {
    const { cursor, syntax } = this;
    const end = cursor.end();
    let start = end;
    if (end > this.position) {
      // Inside an atom white space counts, also in front; text that no node covers joins the next token.
      start = this.startOf(typeId, end);
      if (start > this.position) this.gap(start);
      this.position = end;
    }
    if (start >= end) return;
    this.keep(node, syntax.rules.canonical(typeId, parentTypeId, syntax.source.slice(start, end)), start, end);
  }

  private startOf(typeId: number, end: number): number {
    const { rules } = this.syntax;
    if (!rules.isAtom(typeId)) return Math.min(this.skipBlank(), end);
    return rules.greedy[typeId] === 1 ? this.position : this.cursor.start();
  }

  private keep(node: number, token: string, start: number, end: number): void {
    // A transparent node's own tokens are its brackets.
    const parent = this.syntax.parentOf(node);
    if (token === "" || (this.transparent.size > 0 && this.transparent.has(parent) && !this.syntax.isNamed(node)))
      return;
    if (token === "," && this.mayTrail(parent)) {
      this.comma = node;
      this.commaEnd = end;
    } else this.token(token, start, end);
  }

  /** A comma after nothing or after another comma is a hole in an array, and counts. */
  private mayTrail(parent: number): boolean {
    const { rules, pieces, type } = this.syntax;
    if (rules.trailingComma[type[parent] ?? 0] !== 1) return false;
    const before = pieces[pieces.length - 1];
    return before !== "," && before !== "[";
  }

  private settleComma(nextType?: number): void {
    const { syntax } = this;
    const node = this.comma;
    this.comma = -1;
    if (nextType !== undefined && syntax.rules.closer[nextType] === 1) return;
    this.token(",", this.commaEnd - 1, this.commaEnd);
    syntax.pieceEnd[node] = syntax.pieces.length;
  }

  private skipBlank(): number {
    const { rules, source } = this.syntax;
    let at = this.position;
    let code = source.charCodeAt(at);
    for (;;) {
      // A backslash at the end of a line only continues it, in every language that has them between tokens.
      const continues = code === 92 && /^\\\r?\n/.test(source.slice(at, at + 3));
      if (code > 32 && code !== 0xfeff && code !== rules.hidden && !continues) return at;
      if (Number.isNaN(code)) return at;
      code = source.charCodeAt(++at);
    }
  }

  /** Text that no node covers. White space is layout; anything else the grammar swallowed, and must not be lost. */
  private gap(until: number): void {
    if (until <= this.position) return;
    const text = this.syntax.source
      .slice(this.position, until)
      .replace(/\\\r?\n/g, "")
      .trim();
    const isHidden = this.syntax.rules.hidden >= 0 && /^[\s;]*$/.test(text);
    if (text !== "" && !isHidden) this.token(text, this.position, until);
  }

  private token(text: string, start: number, end: number): void {
    const { syntax } = this;
    syntax.tokenStart[syntax.pieces.length] = start;
    syntax.tokenEnd[syntax.pieces.length] = end;
    syntax.pieces.push(text);
  }
}
