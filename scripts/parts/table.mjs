// Markdown tables of the parts that scripts write.
export const number = new Intl.NumberFormat("en").format;
export const percent = (part, whole) => (whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`);

/** Columns of numbers are aligned to the right. */
export function table(head, rows) {
  const isNumber = (at) => rows.every((cells) => /^(\d[\d.,]*( [A-Z%]+)?)?$/.test(cells[at]));
  const lines = [head, head.map((_, at) => (isNumber(at) ? "---:" : "---")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
