import { withoutMark } from "../../json.js";
/** tsconfig.json is JSON with comments and trailing commas. Undefined if it does not parse. */
export function parseJsonc(text: string): unknown {
  try {
    return JSON.parse(dropTrailingCommas(dropComments(withoutMark(text))));
  } catch {
    // Without the config, the names that need it stay unresolved.
    return undefined;
  }
}

// A string, a line comment or a block comment, whichever starts first. One without its end goes to the end of the text: to look for each
// one's end in vain would take time by the square of the text's length.
const stringOrComment = /"(?:\\[\s\S]?|[^"\\])*"?|\/\/[^\n\r]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g;
const stringOrComma = /"(?:\\[\s\S]?|[^"\\])*"?|,(?=\s*[}\]])/g;

function dropComments(text: string): string {
  return text.replace(stringOrComment, (found) => (found.startsWith('"') ? found : " "));
}

function dropTrailingCommas(text: string): string {
  return text.replace(stringOrComma, (found) => (found.startsWith('"') ? found : ""));
}

export type JsonObject = { readonly [key: string]: unknown };

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asStrings(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((item): item is string => typeof item === "string");
}
