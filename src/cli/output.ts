import { styleText } from "node:util";

/** Where a command's words go. `json`: one document on stdout and nothing else there. */
export interface Out {
  json: boolean;
  /** The result: `document` with --json, `lines` for people. */
  result(document: Record<string, unknown>, lines: readonly string[]): void;
  /** Something said on the way; people only. */
  note(line: string): void;
}

export function createOut(json: boolean): Out {
  return {
    json,
    result: (document, lines) => {
      const text = json ? JSON.stringify(document, null, 2) : lines.join("\n");
      if (text !== "") process.stdout.write(`${text}\n`);
    },
    note: (line) => {
      if (!json) process.stderr.write(`${line}\n`);
    },
  };
}

type Style = "green" | "yellow" | "red" | "dim" | "bold" | "cyan";

/** NO_COLOR and FORCE_COLOR as everyone reads them; otherwise colour is for terminals. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0";
  const refused = (NO_COLOR !== undefined && NO_COLOR !== "") || FORCE_COLOR === "0";
  if (!forced && (refused || !stream.isTTY)) return text;
  return styleText(style, text, { validateStream: false });
}

/** File names are data: control characters and direction marks must not reach a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Rows of cells, each column as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** `1 commit`, `2 commits`. */
export function count(n: number, thing: string): string {
  return `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;
}

export function short(sha: string | null | undefined): string {
  return sha === null || sha === undefined ? "none" : sha.slice(0, 10);
}
