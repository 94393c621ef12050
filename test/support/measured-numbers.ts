interface Known {
  /** Names of the parts that a command writes, between `<!-- name -->` and `<!-- /name -->`. */
  parts: readonly string[];
  /** Texts that were compared with the code. */
  phrases: readonly string[];
}

const WORDS =
  "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred";
const TIMES = "seconds?|minutes?|hours?";
const UNITS = `µs|ms|s|${TIMES}|KB|KiB|MB|MiB|GB|GiB|%|percent|tokens?|times|languages|tests|grammars`;
/** What a number with a point after it is the version of. */
const PROGRAMS =
  "Node|Node below|git|bash|wine|web-tree-sitter|tree-sitter|≥|version|opencode-ai/plugin`|CLI|Code|Codex|opencode";

const WITH_UNIT = `(?<![\\w.,-])(?:\\d[\\d.,]* (?:${UNITS})|(?:${WORDS}) (?:${TIMES}))(?![\\w/])`;
const RATIO = `(?<!(?:${PROGRAMS}) )(?<![\\w.-])\\d+\\.\\d+(?![\\w.-]*\\w)`;
const MEASURED = new RegExp(`${WITH_UNIT}|${RATIO}`, "g");

/** Numbers of a page that look measured: with a unit, or a ratio such as 1.05. Versions and code are none. */
export function measuredNumbers(page: string, { parts, phrases }: Known): string[] {
  const prose = parts
    .reduce((text, name) => text.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`), ""), page)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, "``")
    .replace(/\s+/g, " ");
  const left = phrases.reduce((text, phrase) => text.replaceAll(phrase.replace(/`[^`]*`/g, "``"), " "), prose);
  return left.match(MEASURED) ?? [];
}
