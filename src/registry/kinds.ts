import { languageOf } from "../fingerprint/languages.js";

/** The kind of a file. Binaries and lock files have no summaries. */
export const KINDS = ["text", "binary", "lock", "generated"] as const;
export type FileKind = (typeof KINDS)[number];

/** Written by package managers. */
const LOCK_NAMES = new Set([
  ...["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lockb", "go.sum", "packages.lock.json"],
  ...["package.resolved", ".terraform.lock.hcl", "gradle.lockfile", "deno.lock"],
]);

const GENERATED =
  /\.(min\.(js|css|mjs|cjs)|generated\.[^./]+|pb\.(go|cc|h)|pb\.swift|g\.dart|freezed\.dart|designer\.cs|g\.cs|map)$|_pb2(_grpc)?\.pyi?$|_pb\.(js|d\.ts)$/;

const BINARY_ENDINGS = words(`
  png jpg jpeg gif bmp tif tiff webp avif ico icns psd heic mp3 mp4 m4a ogg oga ogv wav flac avi mov mkv webm woff woff2 ttf
  otf eot pdf zip tar gz tgz bz2 xz 7z rar zst jar war ear class pyc pyo o a so dylib dll exe bin wasm lib obj dat db
  sqlite sqlite3 doc docx xls xlsx ppt pptx odt ods parquet npy npz pkl onnx pt h5 keystore p12 pfx der`);

/** In addition to the languages that have a grammar. */
const TEXT_ENDINGS = words(`
  md mdx markdown txt rst adoc json jsonc json5 jsonl ndjson yaml yml toml ini cfg conf properties env xml html htm xhtml svg
  css scss sass less styl vue svelte astro graphql gql sql csv tsv proto thrift tf tfvars hcl gradle cmake mk make bat cmd
  ps1 psm1 fish zsh awk sed pl pm r jl hs elm ex exs erl hrl clj cljs cljc edn ml mli fs fsi fsx vb pas d zig nim cr dart
  groovy m mm asm s tex bib po pot diff patch snap log in am ac ejs hbs mustache liquid njk pug twig tmpl tpl erb haml
  editorconfig gitignore gitattributes gitmodules npmrc nvmrc dockerignore prettierrc eslintrc babelrc`);

const TEXT_NAMES =
  /^(license|licence|copying|notice|authors|contributors|readme|changelog|changes|makefile|dockerfile|rakefile|gemfile|procfile|jenkinsfile|vagrantfile|codeowners|owners|version)$/;

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** The kind by name; null: only the content shows whether it is text. */
export function kindByName(path: string): FileKind | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf(".") + 1);
  if (LOCK_NAMES.has(name) || (ending === "lock" && name !== ending)) return "lock";
  if (GENERATED.test(name)) return "generated";
  if (languageOf(path) !== undefined || TEXT_ENDINGS.has(ending) || TEXT_NAMES.test(name)) return "text";
  return BINARY_ENDINGS.has(ending) && name !== ending ? "binary" : null;
}

/** The same test as in git (buffer_is_binary): a NUL in the first 8000 bytes. */
export function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, 8000).includes(0);
}

/** Whether such a file can have a summary. */
export function takesSummary(kind: FileKind): boolean {
  return kind === "text" || kind === "generated";
}
