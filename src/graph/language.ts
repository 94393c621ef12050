import { baseOf } from "./resolve/file-index.js";

/** The name for a tag, and the one for a sentence. */
export interface Language {
  tag: string;
  label: string;
}

const languages: [label: string, extensions: string[]][] = [
  ["TypeScript", ["ts", "tsx", "mts", "cts"]],
  ["JavaScript", ["js", "jsx", "mjs", "cjs"]],
  ["Python", ["py", "pyi"]],
  ["Go", ["go"]],
  ["Rust", ["rs"]],
  ["Java", ["java"]],
  ["Kotlin", ["kt", "kts"]],
  ["C", ["c", "h"]],
  ["C++", ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++"]],
  ["C#", ["cs"]],
  ["Ruby", ["rb", "rake", "gemspec"]],
  ["PHP", ["php"]],
  ["Swift", ["swift"]],
  ["Scala", ["scala", "sc"]],
  ["Lua", ["lua"]],
  ["Bash", ["sh", "bash"]],
];

const byExtension = new Map<string, Language>(
  languages.flatMap(([label, extensions]) =>
    extensions.map((extension): [string, Language] => [extension, { label, tag: tagOf(label) }]),
  ),
);

function tagOf(label: string): string {
  return label === "C++" ? "cpp" : label === "C#" ? "csharp" : label.toLowerCase();
}

export function languageOf(path: string): Language | undefined {
  const base = baseOf(path);
  const dot = base.lastIndexOf(".");
  return dot < 0 ? undefined : byExtension.get(base.slice(dot + 1).toLowerCase());
}

const testPath =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:[._-](?:test|spec)|_test)\.[^./]+$|(?:^|\/)test_[^/]*\.py$|(?:Test|Tests|Spec)\.(?:java|kt|scala|cs|swift|php)$/;

export function isTestPath(path: string): boolean {
  return testPath.test(path);
}
