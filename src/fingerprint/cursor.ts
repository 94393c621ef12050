import type { Tree } from "web-tree-sitter";

/** The functions of web-tree-sitter's WASM module that walk a tree. Emscripten puts them on the object that init is given. */
export interface TreeSitterModule {
  _ts_tree_cursor_goto_first_child_wasm(tree: number): number;
  _ts_tree_cursor_goto_next_sibling_wasm(tree: number): number;
  _ts_tree_cursor_goto_parent_wasm(tree: number): number;
  _ts_tree_cursor_current_node_type_id_wasm(tree: number): number;
  _ts_tree_cursor_current_field_id_wasm(tree: number): number;
  _ts_tree_cursor_start_index_wasm(tree: number): number;
  _ts_tree_cursor_end_index_wasm(tree: number): number;
  _ts_tree_cursor_delete_wasm(tree: number): void;
}

/**
 * A tree cursor without web-tree-sitter's wrapper, which copies the cursor's state into and out of the module around every
 * call: reading a tree takes a third of the time. The state stays where `tree.walk()` left it, in the module's transfer
 * buffer; so nothing else of tree-sitter may be called between `new` and `close`. Needs the pinned version.
 */
export class Cursor {
  private readonly tree: number;

  constructor(
    private readonly module: TreeSitterModule,
    tree: Tree,
  ) {
    tree.walk();
    this.tree = (tree as unknown as { readonly 0: number })[0];
  }

  firstChild(): boolean {
    return this.module._ts_tree_cursor_goto_first_child_wasm(this.tree) === 1;
  }

  nextSibling(): boolean {
    return this.module._ts_tree_cursor_goto_next_sibling_wasm(this.tree) === 1;
  }

  parent(): boolean {
    return this.module._ts_tree_cursor_goto_parent_wasm(this.tree) === 1;
  }

  typeId(): number {
    return this.module._ts_tree_cursor_current_node_type_id_wasm(this.tree);
  }

  fieldId(): number {
    return this.module._ts_tree_cursor_current_field_id_wasm(this.tree);
  }

  start(): number {
    return this.module._ts_tree_cursor_start_index_wasm(this.tree);
  }

  end(): number {
    return this.module._ts_tree_cursor_end_index_wasm(this.tree);
  }

  close(): void {
    this.module._ts_tree_cursor_delete_wasm(this.tree);
  }
}
