import { isSameShape, keyOf, type SymbolState, symbolsIn, symbolsOf } from "./contents.js";
import { type Fingerprints, type Graph, type GraphNode, type Meta, render } from "./documents.js";
import { mayWrite } from "./model.js";
import {
  allChanges,
  ancestorsOf,
  type Clone,
  checkedTree,
  commitAt,
  decide,
  headOf,
  MAIN,
  nearnessOf,
  type Origin,
  pendingIn,
  viewOf,
} from "./statements.js";

/**
 * What must be true after every move. None of it asks the model how it decides: `Truth` notes what agents and people did, from outside, and says
 * what must be asked, flagged or shown because of that.
 */

/** Somebody looked at a symbol at one content. */
interface Look {
  path: string;
  state: SymbolState;
  batch: string;
  /** Of documents that git tracks: it counts where they are. */
  tracked: Pick<Origin, "commit" | "document"> | null;
  /** The database has it for sure: it must not be asked again. */
  isStored: boolean;
}

/** Somebody wrote a text for a content, or said that it holds at it. */
interface Written extends Look {
  text: string;
  order: number;
}

export class Truth {
  readonly looks: Look[] = [];
  readonly texts: Written[] = [];
  readonly undone = new Set<string>();
  #order = 0;
  readonly #carried = new Set<string>();

  look(path: string, state: SymbolState, batch: string, isStored = true): void {
    this.looks.push({ path, state, batch, tracked: null, isStored });
  }

  write(path: string, state: SymbolState, batch: string, text: string, isStored = true): void {
    this.look(path, state, batch, isStored);
    this.texts.push({ path, state, batch, tracked: null, isStored, text, order: this.#order++ });
  }

  /** Documents of another clone bring what was done there; whether all of it arrives is for the model to say. */
  bring(other: Truth, tracked: Look["tracked"]): void {
    const isDone = ({ batch }: Look) => !other.undone.has(batch);
    const known = new Set(this.looks.map((one) => lookKey(one)));
    for (const look of other.looks.filter(isDone)) {
      const copy: Look = { ...look, tracked: look.tracked ?? tracked, isStored: false, batch: `brought ${look.batch}` };
      if (!known.has(lookKey(copy))) this.looks.push(copy);
    }
    for (const one of other.texts.filter(isDone)) {
      this.texts.push({
        ...one,
        tracked: one.tracked ?? tracked,
        isStored: false,
        batch: `brought ${one.batch}`,
        order: -1,
      });
    }
  }

  /** Who looked at a symbol has looked at it under its new name, too. */
  carry(look: Look, path: string, state: SymbolState): void {
    const copy: Look = { path, state, batch: look.batch, tracked: look.tracked, isStored: false };
    if (!this.#carried.has(lookKey(copy))) this.looks.push(copy);
    this.#carried.add(lookKey(copy));
  }

  /** With the database goes what was undone, and the certainty that anything is stored. */
  forget(): void {
    this.undone.clear();
    for (const one of [...this.looks, ...this.texts]) one.isStored = false;
  }
}

const lookKey = ({ path, state, batch, tracked }: Look) =>
  `${path} ${keyOf(state)} ${state.hash} ${batch} ${JSON.stringify(tracked)}`;

/** What one worktree answers. */
export interface Answers {
  action: string;
  files: Readonly<Record<string, readonly string[]>>;
  deleted: readonly string[];
  /** By `path key`: the text and the hash that it is about; null for a generated one. */
  texts: Readonly<Record<string, string | null>>;
}

export function answersOf(clone: Clone, worktree: string): Answers {
  const { action, files, deleted } = pendingIn(clone, worktree);
  const view = viewOf(clone, worktree);
  const texts: Record<string, string | null> = {};
  for (const [path, blob] of Object.entries(view.tree)) {
    for (const [key, state] of symbolsOf(blob)) {
      const text = view.text(path, state);
      const about = text?.stated.state.hash;
      texts[`${path} ${key}`] = text === null ? null : `${text.text} @ ${about === state.hash ? "this" : about}`;
    }
  }
  return { action, files, deleted, texts };
}

/** What differs between two answers, shortly; empty if nothing does. */
export function differences(before: Answers, after: Answers): string {
  const lines: string[] = [];
  for (const part of ["action", "files", "deleted"] as const) {
    const [a, b] = [JSON.stringify(before[part]), JSON.stringify(after[part])];
    if (a !== b) lines.push(`${part}: ${a} → ${b}`);
  }
  for (const key of new Set([...Object.keys(before.texts), ...Object.keys(after.texts)])) {
    const [a, b] = [before.texts[key], after.texts[key]];
    if (a !== b) lines.push(`${key}: ${a} → ${b}`);
  }
  return lines.slice(0, 4).join("; ");
}

export interface Failure {
  property: string;
  message: string;
}

/** Everything that is wrong now in a clone. */
export function wrongIn(clone: Clone, truth: Truth): Failure | null {
  const worktrees = Object.keys(clone.worktrees);
  for (const name of worktrees) {
    const failure =
      falseFresh(clone, name, truth) ??
      lost(clone, name, truth) ??
      needless(clone, name, truth) ??
      staleCache(clone, name);
    if (failure !== null) return { property: failure.property, message: `${clone.name}/${name}: ${failure.message}` };
  }
  return disagreement(clone, worktrees) ?? wrongDocuments(clone) ?? otherParity(clone);
}

function countsAt(clone: Clone, worktree: string, truth: Truth): (look: Look) => boolean {
  const head = headOf(clone, worktree);
  const { documents } = commitAt(clone.world, head);
  const ancestors = ancestorsOf(clone.world, head);
  return ({ batch, tracked }) => {
    if (truth.undone.has(batch)) return false;
    if (tracked === null) return true;
    return (
      documents !== null &&
      (tracked.document === documents.graph || (tracked.commit !== null && ancestors.has(tracked.commit)))
    );
  };
}

/** No false "fresh": a symbol whose change nobody has answered is asked about or flagged, if the change can make a sentence about it false. */
function falseFresh(clone: Clone, worktree: string, truth: Truth): Failure | null {
  const counts = countsAt(clone, worktree, truth);
  const looks = truth.looks.filter(counts);
  const texts = truth.texts.filter(counts);
  const view = viewOf(clone, worktree);
  const { files } = pendingIn(clone, worktree);
  for (const [path, blob] of Object.entries(view.tree)) {
    for (const [key, state] of symbolsOf(blob)) {
      const isAsked = files[path]?.includes(key) === true;
      const shown = view.text(path, state);
      const isFlagged = shown !== null && (shown.nearness === "behaviour" || shown.nearness === "interface");
      const place = `${path} ${key}`;
      const names = formerNames(clone, key);
      // Somebody looked at these tokens, here or wherever the symbol was before; or only a body changed since.
      const isHarmless = (look: Look) => {
        if (state.type !== look.state.type) return false;
        const nearness = nearnessOf(state, look.state);
        if (nearness === "equal" || nearness === "renamed") return true;
        return nearness === "body" && names.has(keyOf(look.state));
      };
      const renamed = looks.find((look) => isHarmless(look) && nearnessOf(state, look.state) !== "body");
      if (renamed !== undefined && keyOf(renamed.state) !== key) truth.carry(renamed, path, state);
      const isBehaviour = (look: Look) => names.has(keyOf(look.state)) && nearnessOf(state, look.state) === "behaviour";
      const mayPass = clone.refresh === "structural" && shown === null && looks.some(isBehaviour);
      const isBesideUnasked = key === "imports " && clone.refresh === "behaviour";
      if (!isAsked && !isFlagged && !mayPass && !isBesideUnasked && !looks.some(isHarmless)) {
        return {
          property: "no false fresh",
          message: `${place} is neither asked about nor flagged, and nobody looked at it`,
        };
      }
      if (shown === null || isFlagged) continue;
      const about = texts.filter((one) => one.text === shown.text);
      const holds = about.some(({ state: then }) => {
        const nearness = nearnessOf(state, then);
        return nearness === "equal" || nearness === "renamed" || nearness === "body";
      });
      if (about.length > 0 && !holds) {
        const message = `${place} shows "${shown.text}" without a flag; it was written for another content`;
        return { property: "no false fresh", message };
      }
    }
  }
  return null;
}

/** Its own, and those from which commits renamed it. */
function formerNames({ store }: Clone, key: string): Set<string> {
  const names = new Set([key]);
  for (let size = 0; size !== names.size; ) {
    size = names.size;
    for (const { fromKey, toKey } of store.links)
      if (fromKey !== null && toKey !== null && names.has(toKey)) names.add(fromKey);
  }
  return names;
}

/** A text that was written for a content is shown where that content is, or a later one for it. */
function lost(clone: Clone, worktree: string, truth: Truth): Failure | null {
  const counts = countsAt(clone, worktree, truth);
  const newest = new Map<string, Written>();
  for (const one of truth.texts.filter((text) => text.isStored && counts(text)))
    newest.set(`${one.path} ${keyOf(one.state)} ${one.state.hash}`, one);
  const view = viewOf(clone, worktree);
  for (const [path, blob] of Object.entries(view.tree)) {
    for (const [key, state] of symbolsOf(blob)) {
      const written = newest.get(`${path} ${key} ${state.hash}`);
      if (written === undefined) continue;
      const shown = view.text(path, state);
      if (shown?.text === written.text) continue;
      const isLater =
        shown !== null &&
        shown.stated.state.hash === state.hash &&
        !truth.texts.some(
          (one) =>
            one.isStored &&
            one.text === shown.text &&
            one.order < written.order &&
            keyOf(one.state) === key &&
            one.path === path &&
            one.state.hash === state.hash,
        );
      if (!isLater)
        return {
          property: "nothing lost",
          message: `${path} ${key} shows "${shown?.text}" in place of "${written.text}"`,
        };
    }
  }
  return null;
}

/** What was answered at a content is not asked about at that content, whatever the policy. */
function needless(clone: Clone, worktree: string, truth: Truth): Failure | null {
  const counts = countsAt(clone, worktree, truth);
  const answered = new Set(
    truth.looks
      .filter((look) => look.isStored && counts(look))
      .map(({ path, state }) => `${path} ${keyOf(state)} ${state.hash}`),
  );
  const { files } = pendingIn(clone, worktree, "every");
  const view = viewOf(clone, worktree);
  for (const [path, asked] of Object.entries(files)) {
    const symbols = symbolsIn(view.tree, path);
    for (const key of asked) {
      if (answered.has(`${path} ${key} ${symbols.get(key)?.hash}`))
        return {
          property: "no needless question",
          message: `${path} ${key} was answered at this content, and is asked about`,
        };
    }
  }
  return null;
}

/** What `compare` stored is what it would find without anything stored. */
function staleCache(clone: Clone, name: string): Failure | null {
  const worktree = clone.worktrees[name];
  if (worktree?.compared == null || worktree.stamp === null || worktree.compared.commit !== headOf(clone, name))
    return null;
  const spelledChanges = (changes: ReturnType<typeof allChanges>) =>
    JSON.stringify(
      [...changes]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, { isGone, symbols }]) => [path, isGone, [...symbols].sort()]),
    );
  const [stored, anew] = [spelledChanges(worktree.compared.changes), spelledChanges(allChanges(viewOf(clone, name)))];
  return stored === anew ? null : { property: "caches deletable", message: `stored ${stored}, anew ${anew}` };
}

/** Worktrees with the same files and documents get the same answers. */
function disagreement(clone: Clone, worktrees: readonly string[]): Failure | null {
  const contentAt = (name: string) => {
    const { tree, ignored } = commitAt(clone.world, headOf(clone, name));
    return JSON.stringify([tree, ignored, trackedAt(clone, name)]);
  };
  for (const name of worktrees) {
    if (name === MAIN || contentAt(name) !== contentAt(MAIN)) continue;
    const difference = differences(answersOf(clone, MAIN), answersOf(clone, name));
    if (difference !== "") return { property: "worktrees agree", message: `${MAIN} → ${name}: ${difference}` };
  }
  return null;
}

/** Which tracked documents count: HEAD's, and those that its history brought. */
function trackedAt(clone: Clone, name: string): unknown {
  const head = headOf(clone, name);
  const { documents } = commitAt(clone.world, head);
  return documents === null
    ? null
    : [
        documents,
        [...ancestorsOf(clone.world, head)].filter((at) => commitAt(clone.world, at).documents !== null).sort(),
      ];
}

const isWritten = (clone: Clone) => {
  const stamp = clone.worktrees[MAIN]?.stamp ?? null;
  return (
    stamp !== null && stamp === JSON.stringify([headOf(clone, MAIN), clone.refresh, clone.disk]) && mayWrite(clone)
  );
};

/** While the stamp holds, the documents are what they would be made anew, and every text that may be false says so in them. */
function wrongDocuments(clone: Clone): Failure | null {
  if (!isWritten(clone) || clone.disk.graph === null) return null;
  const now = render(clone);
  for (const name of ["graph", "fingerprints", "meta"] as const) {
    if (clone.disk[name] !== now[name])
      return { property: "caches deletable", message: `${name} is not what it would be anew` };
  }
  const graph = JSON.parse(clone.disk.graph) as Graph;
  const view = viewOf(clone, MAIN);
  const isSilent = (node: GraphNode) => {
    const state = symbolsIn(view.tree, node.path).get(keyOf(node));
    const shown = state === undefined ? null : view.text(node.path, state);
    return (
      shown !== null && state !== undefined && shown.stated.state.hash !== state.hash && node.describes === undefined
    );
  };
  const wrong = graph.nodes.find((node) => node.notChecked !== true && isSilent(node));
  return wrong === undefined
    ? null
    : { property: "no false fresh", message: `${wrong.path} ${keyOf(wrong)} does not say what its text describes` };
}

/** Understand-Anything's own comparison, with our files, comes to our decision. */
function otherParity(clone: Clone): Failure | null {
  if (!isWritten(clone) || clone.refresh !== "structural") return null;
  const { fingerprints, meta } = clone.disk;
  if (fingerprints === null || meta === null) return null;
  const { files } = JSON.parse(fingerprints) as Fingerprints;
  const { commit } = JSON.parse(meta) as Meta;
  const view = viewOf(clone, MAIN);
  const { ignored } = commitAt(clone.world, headOf(clone, MAIN));
  const was = commit === null || commit < 0 ? {} : checkedTree({ tree: commitAt(clone.world, commit).tree, ignored });
  const stale = [...new Set([...Object.keys(was), ...Object.keys(view.tree)])].filter((path) => {
    const blob = view.tree[path];
    if (was[path] === blob) return false;
    const entry = files[path]?.blob;
    return blob === undefined ? entry !== undefined : entry === undefined || !isSameShape(entry, blob);
  });
  const { action } = decide(view, allChanges(view), clone.refresh);
  const isPending = action !== "SKIP";
  if (stale.length > 0 === isPending) return null;
  return {
    property: "parity",
    message: `by its own comparison ${stale.length === 0 ? "nothing" : stale} is stale, and we say ${action}`,
  };
}
