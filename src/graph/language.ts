import { languageOf as grammarOf } from "../fingerprint/languages.js";

/** The name used in tags, and the one used in sentences. */
export interface EdgeLanguage {
  tag: string;
  label: string;
}

/** Languages for which a capital first letter is not enough. TSX is shown as TypeScript. */
const LABELS: Readonly<Record<string, string>> = {
  typescript: "TypeScript",
  javascript: "JavaScript",
  cpp: "C++",
  csharp: "C#",
  php: "PHP",
  hcl: "HCL",
  yaml: "YAML",
  css: "CSS",
};

export function languageOf(path: string): EdgeLanguage | undefined {
  const name = grammarOf(path)?.name;
  if (name === undefined) return undefined;
  const tag = name === "tsx" ? "typescript" : name;
  return { tag, label: LABELS[tag] ?? tag.charAt(0).toUpperCase() + tag.slice(1) };
}
