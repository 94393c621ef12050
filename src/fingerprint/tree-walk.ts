import type { Language, Tree } from "web-tree-sitter";
import { Productions, type TreeSitterModule, type Visitor, visitTree } from "./tree.js";

/** So many nodes of a grammar's first texts are compared. */
const COMPARED = 32;

/**
 * Walks the trees of one grammar: in the module's memory, if what it says there is what tree-sitter's own cursor says, else by the cursor.
 * Checked when the grammar is loaded, and on the first nodes that are read.
 */
export class TreeWalk {
  private readonly module: TreeSitterModule;
  /** null: the layout of the memory is another one than this program knows. */
  private productions: Productions | null;
  private compared = 0;

  constructor(module: TreeSitterModule, grammar: Language) {
    this.module = module;
    this.productions = Productions.of(module, grammar);
  }

  visit(tree: Tree, visitor: Visitor): void {
    if (this.productions !== null && this.compared < COMPARED) this.compare(tree, this.productions);
    if (this.productions === null) visitByCursor(tree, visitor);
    else visitTree(this.module, tree, this.productions, visitor);
  }

  private compare(tree: Tree, productions: Productions): void {
    const found = firstNodes((visitor) => visitTree(this.module, tree, productions, visitor));
    const expected = firstNodes((visitor) => visitByCursor(tree, visitor));
    this.compared += expected.length;
    if (found.join("\n") !== expected.join("\n")) this.productions = null;
  }
}

/** The first nodes of a walk, as text. What a walk over unknown memory throws is a difference, too. */
function firstNodes(walk: (visitor: Visitor) => void): string[] {
  const nodes: string[] = [];
  const isOpen = () => nodes.length < COMPARED;
  const visitor: Visitor = {
    enter: (...node) => {
      if (isOpen()) nodes.push(node.join(" "));
      return isOpen();
    },
    missing: (typeId) => {
      if (isOpen()) nodes.push(`missing ${typeId}`);
    },
    leave: () => {},
  };
  try {
    walk(visitor);
  } catch (error) {
    nodes.push(String(error));
  }
  return nodes;
}

/** By a call into WASM for every step. */
export function visitByCursor(tree: Tree, visitor: Visitor): void {
  const cursor = tree.walk();
  // A damaged tree may be a circle.
  let left = tree.rootNode.descendantCount;
  try {
    for (;;) {
      if (--left < 0) throw new Error("the tree in memory is damaged");
      const { nodeTypeId, currentFieldId, startIndex, endIndex } = cursor;
      if (startIndex === endIndex && cursor.nodeIsMissing) visitor.missing(nodeTypeId);
      const isParent = cursor.gotoFirstChild();
      if (visitor.enter(nodeTypeId, currentFieldId, startIndex, endIndex, isParent) && isParent) continue;
      if (isParent) cursor.gotoParent();
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return;
        visitor.leave();
      }
    }
  } finally {
    cursor.delete();
  }
}
