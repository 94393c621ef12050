import { blameLines, type LineOrigin } from "../git/blame.js";
import { isRefusal } from "../git/run.js";
import type { Uncommitted } from "../git/status.js";
import type { Facts, WantedFact } from "../knowledge/facts.js";
import type { Citation, CitationKind } from "./cited.js";
import type { DeclaredNames } from "./names.js";

/** A document as it is now. */
export interface DocumentText {
  path: string;
  /** Its blob; null where it has uncommitted changes: then its lines are blamed as they are. */
  blob: string | null;
  text: string;
}

/** A line of a document that was true when it was written. */
export interface Finding {
  file: string;
  line: number;
  target: string;
  kind: CitationKind;
  verdict: "gone" | "moved" | "changed";
  /** Where the target is now, or what it is called. */
  to?: string;
  /** The commit that wrote the line. */
  since: string;
  detail?: string;
  /** What stands in the line, what a correction would write there, and which other paths (`p:…`) and names (`n:…`) the verdict depends on. */
  cited: { column: number; written: string; correction: string | null; via: readonly string[] };
}

export interface Judgement {
  citations: number;
  /** Citations of which nobody can tell: the history of a shallow clone ends before their lines were written. */
  unknown: number;
  broken: Finding[];
  /** The two counts for each document that has any. */
  byDocument: Map<string, { citations: number; unknown: number }>;
}

/** What documents are judged against. */
export interface Present {
  cwd: string;
  head: string;
  /** The uncommitted changes of the work tree; null: HEAD alone counts. */
  changes: readonly Uncommitted[] | null;
  /** Commits that a shallow clone has without their parents. */
  shallow: ReadonlySet<string>;
  /** The text of a file in the work tree. */
  read(path: string): string | null;
  blame: Blame;
  /** Where symbols are looked up. */
  sources(): Promise<Sources>;
}

/** Who wrote lines of a document last. */
export type Blame = (document: DocumentText, lines: readonly number[]) => Promise<LineOrigin[]>;

/** Asks git each time. */
export function plainBlame(cwd: string, head: string): Blame {
  return ({ path, blob }, lines) => blameLines(cwd, { commit: blob === null ? null : head, path, lines });
}

/** The source files that names are looked up in. */
export interface Sources {
  /** Every source file as it is now. */
  files: readonly WantedFact[];
  facts: Pick<Facts, "of">;
  covers(path: string): boolean;
  /** The names of contents, by `factKey`; what cannot be read is left out. */
  names(files: readonly WantedFact[]): Promise<Map<string, DeclaredNames>>;
}

/** A citation that is not true as it stands, or is to be looked at for another reason. */
export interface Suspect<T extends Citation = Citation> {
  document: DocumentText;
  citation: T;
}

export function byDocument<T extends Citation>(suspects: readonly Suspect<T>[]): Map<DocumentText, Suspect<T>[]> {
  const found = new Map<DocumentText, Suspect<T>[]>();
  for (const one of suspects) {
    const list = found.get(one.document);
    if (list === undefined) found.set(one.document, [one]);
    else list.push(one);
  }
  return found;
}

/** null: git cannot tell (a partial clone, or a history that is too long for its time). */
export async function originsOf(
  present: Present,
  document: DocumentText,
  lines: readonly number[],
): Promise<Map<number, LineOrigin> | null> {
  try {
    return new Map((await present.blame(document, lines)).map((origin) => [origin.line, origin]));
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Counts citations by document. */
export class Tally {
  readonly #byDocument = new Map<string, { citations: number; unknown: number }>();

  /** One that is true, or was. */
  count(document: DocumentText): void {
    this.#of(document).citations++;
  }

  /** One of which nobody can tell. */
  leaveOpen(document: DocumentText): void {
    this.#of(document).unknown++;
  }

  totals(): Omit<Judgement, "broken"> {
    const all = [...this.#byDocument.values()];
    const sum = (key: "citations" | "unknown") => all.reduce((total, one) => total + one[key], 0);
    return { citations: sum("citations"), unknown: sum("unknown"), byDocument: this.#byDocument };
  }

  #of({ path }: DocumentText): { citations: number; unknown: number } {
    const counts = this.#byDocument.get(path) ?? { citations: 0, unknown: 0 };
    this.#byDocument.set(path, counts);
    return counts;
  }
}
