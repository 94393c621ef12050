/** Without the byte order mark that an editor may have put before it. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** What a JSON text from outside says. JSON.parse refuses a byte order mark. */
export function fromJson(text: string): unknown {
  return JSON.parse(withoutMark(text));
}
