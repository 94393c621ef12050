import { languageOf as grammarOf } from "../fingerprint/languages.js";

/** The name for a tag, and the one for a sentence. */
export interface EdgeLanguage {
  tag: string;
  label: string;
}

/** Where a capital letter is not enough. TSX is TypeScript to a reader. */
const LABELS: Readonly<Record<string, string>> = {
  typescript: "TypeScript",
  javascript: "JavaScript",
  cpp: "C++",
  csharp: "C#",
  php: "PHP",
};

export function languageOf(path: string): EdgeLanguage | undefined {
  const name = grammarOf(path)?.name;
  if (name === undefined) return undefined;
  const tag = name === "tsx" ? "typescript" : name;
  return { tag, label: LABELS[tag] ?? tag.charAt(0).toUpperCase() + tag.slice(1) };
}
