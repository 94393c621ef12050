import type { Db } from "../store/sqlite.js";
import type { Choice, Nearness } from "./choose.js";
import { FileKeys } from "./description-keys.js";
import { type Description, hasDescriptions } from "./descriptions.js";
import type { Facts, WantedFact } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import type { SymbolType } from "./symbol-states.js";

/** What is asked of HEAD: the contents of files that differ from the baseline, and their fingerprints. */
export interface HeadContents {
  heads: ReadonlyMap<string, string | null>;
  facts: Pick<Facts, "known">;
}

export type DescribedPlace = { type: SymbolType; name: string };

/** The description that stands for a symbol of a file; null for none. */
export type DescriptionOf = (file: WantedFact, symbol: DescribedPlace) => Choice<Description> | null;

export function descriptionsAt(db: Db, scope: string, { heads, facts }: HeadContents): DescriptionOf {
  if (!hasDescriptions(db)) return () => null;
  const usual = choiceContext(db, scope);
  const oidOf = (path: string) => (heads.has(path) ? (heads.get(path) ?? null) : usual.oidOf(path));
  const files = new Map<string, { store: FileDescriptions; keys: FileKeys }>();
  const open = ({ path, oid }: WantedFact) => {
    const known = files.get(`${oid} ${path}`);
    if (known !== undefined) return known;
    const fact = facts.known({ path, oid }) ?? undefined;
    const opened = {
      store: new FileDescriptions({ ...usual, oidOf }, { path, oid, fact }),
      keys: new FileKeys(path, oid, fact),
    };
    files.set(`${oid} ${path}`, opened);
    return opened;
  };
  return (file, { type, name }) => {
    const { store, keys } = open(file);
    return store.chooseFor(keys.ofSymbol(type, name));
  };
}

/** Who wrote the description that stands for a symbol, and when; empty for none. */
export interface DescribedBy {
  /** The author, or where the text came from; missing if no agent or person described it. */
  describedBy?: string;
  describedAt?: string;
}

export function originOf(found: Choice<Description> | null): DescribedBy {
  if (found === null) return {};
  const { author, source, at } = found.description;
  return { describedBy: author ?? source, describedAt: at };
}

/** How far the description that stands for a symbol is from it; `exact` also where it moved or was renamed. */
export function describedAt(
  db: Db,
  scope: string,
  contents: HeadContents,
): (file: WantedFact, symbol: DescribedPlace) => Nearness | null {
  const descriptionOf = descriptionsAt(db, scope, contents);
  return (file, symbol) => distanceOf(descriptionOf(file, symbol));
}

export function distanceOf(found: Choice<Description> | null): Nearness | null {
  const nearness = found?.nearness ?? null;
  return nearness === "moved" || nearness === "renamed" ? "exact" : nearness;
}
