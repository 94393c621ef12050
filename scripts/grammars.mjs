/** The parser. */
export const parser = "node_modules/web-tree-sitter/tree-sitter.cjs";

/** What dist/grammars holds, compressed, and where each file comes from. */
export const grammars = {
  "tree-sitter.wasm": "node_modules/web-tree-sitter/tree-sitter.wasm",
  "bash.wasm": "node_modules/tree-sitter-bash/tree-sitter-bash.wasm",
  "c.wasm": "node_modules/tree-sitter-c/tree-sitter-c.wasm",
  "cpp.wasm": "node_modules/tree-sitter-cpp/tree-sitter-cpp.wasm",
  "csharp.wasm": "node_modules/tree-sitter-c-sharp/tree-sitter-c_sharp.wasm",
  "css.wasm": "node_modules/tree-sitter-css/tree-sitter-css.wasm",
  "dart.wasm": "node_modules/@lumis-sh/wasm-dart/tree-sitter-dart.wasm",
  "go.wasm": "node_modules/tree-sitter-go/tree-sitter-go.wasm",
  "hcl.wasm": "node_modules/@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-hcl.wasm",
  "java.wasm": "node_modules/tree-sitter-java/tree-sitter-java.wasm",
  "javascript.wasm": "node_modules/tree-sitter-javascript/tree-sitter-javascript.wasm",
  "kotlin.wasm": "node_modules/@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm",
  "lua.wasm": "node_modules/@tree-sitter-grammars/tree-sitter-lua/tree-sitter-lua.wasm",
  "php.wasm": "node_modules/tree-sitter-php/tree-sitter-php.wasm",
  "python.wasm": "node_modules/tree-sitter-python/tree-sitter-python.wasm",
  "ruby.wasm": "node_modules/tree-sitter-ruby/tree-sitter-ruby.wasm",
  "rust.wasm": "node_modules/tree-sitter-rust/tree-sitter-rust.wasm",
  "scala.wasm": "node_modules/tree-sitter-scala/tree-sitter-scala.wasm",
  "swift.wasm": "node_modules/tree-sitter-wasms/out/tree-sitter-swift.wasm",
  "tsx.wasm": "node_modules/tree-sitter-typescript/tree-sitter-tsx.wasm",
  "typescript.wasm": "node_modules/tree-sitter-typescript/tree-sitter-typescript.wasm",
  "yaml.wasm": "node_modules/@tree-sitter-grammars/tree-sitter-yaml/tree-sitter-yaml.wasm",
};
