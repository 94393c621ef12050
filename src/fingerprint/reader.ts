import type { Tree } from "web-tree-sitter";
import type { CompiledRules } from "./compiled.js";
import { Syntax } from "./syntax.js";
import { type Productions, type TreeSitterModule, type Visitor, visitTree } from "./tree.js";

const COMMA = 44;

/** Reads a parsed tree into a `Syntax`. */
export function readTree(
  module: TreeSitterModule,
  tree: Tree,
  source: string,
  rules: CompiledRules,
  productions: Productions,
): Syntax {
  const syntax = new Syntax(source, rules, tree.rootNode.descendantCount);
  const reader = new Reader(syntax);
  visitTree(module, tree, productions, reader);
  reader.finish();
  return syntax;
}

/** A token begins after the white space that follows the last one, whatever its node says: so no text is lost between. */
class Reader implements Visitor {
  /** Where the last token or comment ended. */
  private position = 0;
  /** The nodes that the walk is inside of. */
  private readonly open: number[] = [];
  private readonly transparent = new Set<number>();
  /** A comma that is dropped if the next node closes the list. */
  private comma = -1;
  private commaStart = 0;

  constructor(private readonly syntax: Syntax) {}

  finish(): void {
    this.gap(this.syntax.source.length);
  }

  enter(typeId: number, fieldId: number, start: number, end: number, isParent: boolean): boolean {
    const { syntax, open } = this;
    const { rules } = syntax;
    if (rules.comments[typeId] === 1 && this.skipComment(start, end)) return false;
    if (this.comma >= 0) this.settleComma(typeId);
    const node = syntax.count++;
    const parent = open.length === 0 ? -1 : (open[open.length - 1] as number);
    const parentTypeId = parent < 0 ? 0 : (syntax.type[parent] as number);
    syntax.type[node] = typeId;
    syntax.field[node] = fieldId;
    syntax.parent[node] = parent;
    syntax.pieceStart[node] = syntax.pieces.count;
    if (isParent && rules.leaf[typeId] !== 1) {
      open.push(node);
      if (rules.isTransparent(typeId, parentTypeId)) this.transparent.add(node);
      else syntax.pieces.open(typeId);
      return true;
    }
    syntax.next[node] = node + 1;
    const fixed = rules.fixed[typeId];
    if (fixed === undefined || !this.fixedToken(node, typeId, parentTypeId, fixed))
      this.leaf(node, typeId, parentTypeId, start, end);
    syntax.pieceEnd[node] = syntax.pieces.count;
    return false;
  }

  leave(): void {
    const { syntax } = this;
    const node = this.open.pop() ?? 0;
    syntax.next[node] = syntax.count;
    if (this.comma >= 0) this.settleComma();
    if (this.transparent.size === 0 || !this.transparent.has(node)) syntax.pieces.close();
    syntax.pieceEnd[node] = syntax.pieces.count;
  }

  private skipComment(start: number, end: number): boolean {
    const { syntax } = this;
    const { meaningful } = syntax.rules;
    if (meaningful?.(syntax.source.slice(start, end), syntax.source)) return false;
    this.gap(start);
    this.position = end;
    return true;
  }

  /** A keyword or punctuation: its text is its type, if the source agrees. */
  private fixedToken(node: number, typeId: number, parentTypeId: number, text: string): boolean {
    const { rules, source } = this.syntax;
    const start = this.skipBlank();
    if (!source.startsWith(text, start)) return false;
    this.position = start + text.length;
    const isKept = rules.special[typeId] !== 1 || rules.canonical(typeId, parentTypeId, text) !== "";
    if (isKept) this.keep(node, start, this.position);
    return true;
  }

  private leaf(node: number, typeId: number, parentTypeId: number, nodeStart: number, end: number): void {
    const { pieces, rules, source } = this.syntax;
    if (end <= this.position) return;
    const isAtom = rules.isAtom(typeId);
    // Inside an atom white space counts, also in front; text that no node covers joins the next token.
    let start = this.position;
    if (!isAtom) start = Math.min(this.skipBlank(), end);
    else if (rules.greedy[typeId] !== 1) start = nodeStart;
    if (start > this.position) this.gap(start);
    this.position = end;
    if (start >= end) return;
    const isPlain = !isAtom && rules.named[typeId] === 1;
    const text = isPlain ? "" : source.slice(start, end);
    const token = isPlain ? "" : rules.canonical(typeId, parentTypeId, text);
    if (token === text) this.keep(node, start, end);
    else if (token !== "" && !this.isBracket(node)) pieces.tokenAs(token, start, end);
  }

  private keep(node: number, start: number, end: number): void {
    const { pieces, source } = this.syntax;
    if (this.isBracket(node)) return;
    if (end === start + 1 && source.charCodeAt(start) === COMMA && this.mayTrail(this.syntax.parentOf(node))) {
      this.comma = node;
      this.commaStart = start;
    } else pieces.token(start, end);
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
    if (text !== "" && !isHidden) this.syntax.pieces.tokenAs(text, this.position, until);
  }
}
