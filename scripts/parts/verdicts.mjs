// What scripts/verdicts.mjs counted, as docs/benchmarks.md shows it.
import { number, table } from "./table.mjs";

const LANGUAGES = {
  ...{ ".ts": "TypeScript, TSX", ".tsx": "TypeScript, TSX", ".js": "JavaScript", ".mjs": "JavaScript" },
  ...{ ".c": "C, and headers", ".h": "C, and headers", ".cc": "C++", ".cpp": "C++", ".rs": "Rust", ".cs": "C#" },
  ...{ ".go": "Go", ".java": "Java", ".kt": "Kotlin", ".scala": "Scala", ".swift": "Swift", ".php": "PHP" },
  ...{ ".py": "Python", ".rb": "Ruby", ".lua": "Lua", ".sh": "Bash" },
};
const DRIFTS = ["cosmetic", "body", "behaviour", "interface"];
const COUNTED = [...DRIFTS, "wrong", "stricter"];

export function verdictsText({ most, repositories, endings }) {
  const languages = new Map();
  for (const [ending, counts] of Object.entries(endings)) {
    for (const name of [LANGUAGES[ending] ?? ending, "all"]) {
      const sums = languages.get(name) ?? Object.fromEntries(COUNTED.map((one) => [one, 0]));
      for (const one of COUNTED) sums[one] += counts[one];
      languages.set(name, sums);
    }
  }
  const verdicts = (sums) => DRIFTS.reduce((all, drift) => all + sums[drift], 0);
  const order = ([one, ofOne], [other, ofOther]) =>
    (one === "all") - (other === "all") || verdicts(ofOther) - verdicts(ofOne) || (one < other ? -1 : 1);
  const counts = (sums) => [verdicts(sums), ...COUNTED.map((one) => sums[one])];
  const rows = [...languages].sort(order).map(([name, sums]) => [name, ...counts(sums).map(number)]);
  const head = [
    ...["language", "verdicts", ...DRIFTS],
    ...["cosmetic, but the texts differ", "not cosmetic, but the texts are equal"],
  ];
  const names = repositories.map(({ name, commit }) => `${name} (${commit.slice(0, 10)})`);
  return `The newest changes of modified files, at most ${number(most)} of each of ${names.length} repositories:

${table(head, rows)}
Repositories and their newest commits: ${names.join(", ")}.
`;
}
