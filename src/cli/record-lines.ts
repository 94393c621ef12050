import { spell } from "../records/subject.js";
import type { RecordVerdict } from "../records/types.js";
import { paint, printable } from "./output.js";

const COLOURS = { active: "green", stale: "yellow", historical: "cyan" } as const;

/** Two lines for a record: its statement, and its subjects. */
export function lines(verdict: RecordVerdict): string[] {
  const { record } = verdict;
  const about = record.subjects.map((subject, at) => {
    const now = verdict.subjects[at]?.path ?? subject.path;
    return (
      printable(spell(subject)) + (now === subject.path ? "" : ` (now ${printable(spell({ ...subject, path: now }))})`)
    );
  });
  return [
    `${paint("bold", record.id)}  ${statusOf(verdict)}  ${record.type}  ${record.confidence}`,
    `  ${printable(record.statement)}`,
    ...(about.length === 0 ? [] : [`  ${paint("dim", about.join(", "))}`]),
  ];
}

export function statusOf({ status, reason, grade }: RecordVerdict): string {
  const colour = Object.hasOwn(COLOURS, status) ? COLOURS[status as keyof typeof COLOURS] : "dim";
  const why = reason === null ? "" : ` (${[reason, grade].filter((part) => part !== null).join(", ")})`;
  return `${paint(colour, status)}${why}`;
}
