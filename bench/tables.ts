/** Aligned, as the pages have their tables. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(3, ...[head, ...rows].map((cells) => [...(cells[at] ?? "")].length)));
  const pad = (text: string, at: number) => text + " ".repeat((widths[at] ?? 0) - [...text].length);
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** A page with other content between `<!-- name -->` and `<!-- /name -->`, so that nothing is copied by hand. */
export function between(page: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`the page has no ${open} … ${close}`);
  return `${page.slice(0, from)}${open}\n\n${content}\n\n${page.slice(to)}`;
}
