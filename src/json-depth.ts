/** JSON.parse reads any depth, but writing it again would overflow the stack. */
export const MAX_DEPTH = 100;

/** Character by character: a regular expression overflows the stack on a string of some megabytes. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length && depth <= MAX_DEPTH; at++) {
    const char = json[at];
    if (inString && char === "\\") at++;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === "{" || char === "[")) depth++;
    else if (!inString && (char === "}" || char === "]")) depth--;
  }
  return depth > MAX_DEPTH;
}
