import { assemble } from "./assemble.js";
import { GAVE_UP, NO_GRAMMAR_HERE, withoutStructure } from "./content.js";
import { extractorOf, languageOf, type SourceLanguage } from "./languages.js";
import { dropRuntime, hasGrammar, loadLanguage } from "./parser.js";
import type { FileFingerprint } from "./types.js";
import { Walk } from "./walk.js";

export { countParses, parseCount } from "./count.js";
export { prepareParser } from "./parser.js";

export interface FingerprintOptions {
  maxFileBytes?: number;
  parseBudgetMs?: number;
}

const MAX_FILE_BYTES = 1024 * 1024;
/** Ordinary files take milliseconds; only damaged or hostile ones come near. */
const PARSE_BUDGET_MS = 5000;

/** Starts loading what these paths will need, so that it overlaps with whatever the caller waits for. Never fails. */
export async function warmUp(paths: Iterable<string>): Promise<void> {
  const wanted = new Set([...paths].map(languageOf).filter((language) => language !== undefined));
  await Promise.allSettled([...wanted].map(loadLanguage));
}

/**
 * What one file looks like from outside. Never throws for anything that is in the content.
 *
 * @example (await fingerprintText("src/a.ts", readFileSync("src/a.ts"))).functions.map(({ name }) => name)
 */
export async function fingerprintText(
  filePath: string,
  content: Buffer,
  options: FingerprintOptions = {},
): Promise<FileFingerprint> {
  const contentOnly = contentFingerprint(filePath, content);
  const language = languageOf(filePath);
  const refusal = whyNot(content, options.maxFileBytes ?? MAX_FILE_BYTES);
  if (language === undefined) return { ...contentOnly, reason: "no grammar for this kind of file" };
  if (refusal !== undefined) return { ...contentOnly, reason: refusal };
  if (!hasGrammar(language)) return { ...contentOnly, reason: NO_GRAMMAR_HERE };
  try {
    return await structureOf(language, filePath, content, contentOnly, options);
  } catch {
    // Perhaps the text before this one damaged the parser's memory: a new one decides.
    dropRuntime();
  }
  try {
    return await structureOf(language, filePath, content, contentOnly, options);
  } catch (error) {
    dropRuntime();
    return { ...contentOnly, reason: `the parser failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function structureOf(
  language: SourceLanguage,
  filePath: string,
  content: Buffer,
  contentOnly: FileFingerprint,
  options: FingerprintOptions,
): Promise<FileFingerprint> {
  const { parse } = await loadLanguage(language);
  const syntax = parse(content.toString("utf8"), options.parseBudgetMs ?? PARSE_BUDGET_MS);
  if (syntax === undefined) return { ...contentOnly, reason: GAVE_UP };
  const walk = new Walk(syntax, filePath);
  walk.run();
  return { ...contentOnly, ...assemble(walk), hasStructuralAnalysis: true, tokenHash: walk.fileHash() };
}

function contentFingerprint(filePath: string, content: Buffer): FileFingerprint {
  const plain = withoutStructure(filePath, content, countLines(content));
  return { ...plain, values: [], extractor: extractorOf(filePath), tokenHash: "" };
}

function whyNot(content: Buffer, maxFileBytes: number): string | undefined {
  if (content.length > maxFileBytes) return `larger than ${maxFileBytes} bytes`;
  const mark = content.length < 2 ? 0 : content.readUInt16BE(0);
  if (mark === 0xfeff || mark === 0xfffe) return "UTF-16 text";
  if (content.includes(0)) return "binary content";
  return undefined;
}

function countLines(content: Buffer): number {
  if (content.length === 0) return 0;
  let lines = content[content.length - 1] === 10 ? 0 : 1;
  for (let at = 0; at < content.length; at++) if (content[at] === 10) lines++;
  return lines;
}
