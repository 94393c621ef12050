// Tables of docs/benchmarks.md that a script writes, between <!-- name --> and <!-- /name -->.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const page = join(import.meta.dirname, "..", "docs", "benchmarks.md");

export function writeBetween(name, content) {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`${page} has no ${open} … ${close}`);
  writeFileSync(page, `${text.slice(0, from)}${open}\n\n${content}\n\n${text.slice(to)}`);
}
