/** What dist/grammars holds, and where in node_modules each file comes from. */
export const grammars = {
  "tree-sitter.wasm": "web-tree-sitter/tree-sitter.wasm",
  "typescript.wasm": "tree-sitter-typescript/tree-sitter-typescript.wasm",
  "tsx.wasm": "tree-sitter-typescript/tree-sitter-tsx.wasm",
  "javascript.wasm": "tree-sitter-javascript/tree-sitter-javascript.wasm",
  "python.wasm": "tree-sitter-python/tree-sitter-python.wasm",
};
