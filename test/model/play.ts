import { dice } from "../support/dice.js";
import { keyOf, symbolsIn, symbolsOf } from "./contents.js";
import { type Graph, sidesOf } from "./documents.js";
import { type Answer, Killed, sync } from "./model.js";
import {
  type Action,
  cloneOf,
  isGitAction,
  LOOKS_FIRST,
  type Move,
  newTable,
  OURS,
  perform,
  planOf,
  randomMoves,
  type Table,
  THEIRS,
} from "./moves.js";
import { type Answers, answersOf, differences, type Failure, Truth, wrongIn } from "./properties.js";
import { type Clone, checkedTree, commitAt, headOf, MAIN, pendingIn, viewOf } from "./statements.js";

/** Plays moves on the model, and checks every property after each of them. */

export type { Failure };

export interface Options {
  /** Hooks run after every git operation, as in real life; else only commands look. */
  isEager: boolean;
  /** `kill` moves do something. */
  kills: boolean;
}

export class Game {
  readonly table: Table = newTable();
  readonly truths: Record<string, Truth> = {};

  constructor(readonly options: Options) {
    for (const clone of Object.values(this.table.world.clones)) {
      const truth = new Truth();
      this.truths[clone.name] = truth;
      for (const [path, blob] of Object.entries(treeOf(clone, MAIN))) {
        for (const state of symbolsOf(blob).values()) truth.look(path, state, "install 0");
      }
    }
  }

  clone(name: string): Clone {
    return cloneOf(this.table.world, name);
  }

  truth(name: string): Truth {
    const truth = this.truths[name];
    if (truth === undefined) throw new Error(`no truth ${name}`);
    return truth;
  }

  /** What is wrong after a move; null for nothing. */
  play(move: Move): Failure | null {
    const action = this.plan(move);
    return action === null ? null : this.carryOut(action);
  }

  /** What a move does now; null for nothing. */
  plan(move: Move): Action | null {
    const { world } = this.table;
    world.turn++;
    world.clock += 10;
    if (LOOKS_FIRST.has(move.name)) this.#look(this.clone(move.clone === 0 ? OURS : THEIRS));
    return move.name === "kill" && !this.options.kills ? null : planOf(this.table, move);
  }

  carryOut(action: Action): Failure | null {
    const failure = this.#perform(this.clone(action.clone), action);
    if (failure !== null) return failure;
    const clones = Object.values(this.table.world.clones);
    return clones.map((one) => wrongIn(one, this.truth(one.name))).find((one) => one !== null) ?? null;
  }

  /** Nothing dies here: only what comes after it is judged. */
  #look(clone: Clone): void {
    const { killIn } = clone;
    clone.killIn = null;
    for (const name of Object.keys(clone.worktrees)) sync(clone, name);
    clone.killIn = killIn;
  }

  #perform(clone: Clone, action: Action): Failure | null {
    const before = this.#beforeOf(clone, action);
    try {
      perform(this.table, action);
      if (this.options.isEager && isGitAction(action))
        for (const name of Object.keys(clone.worktrees)) sync(clone, name);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    note(this, clone, action, before.pending);
    return arrived(clone, action, before.answers);
  }

  #beforeOf(clone: Clone, action: Action) {
    if (["ack", "apply", "run", "undo"].includes(action.kind)) this.#look(clone);
    const view = viewOf(clone, action.worktree);
    return { pending: { view, decision: pendingIn(clone, action.worktree) }, answers: everyAnswer(clone) };
  }
}

const treeOf = (clone: Clone, worktree: string) => checkedTree(commitAt(clone.world, headOf(clone, worktree)));

const everyAnswer = (clone: Clone): Record<string, Answers> =>
  Object.fromEntries(Object.keys(clone.worktrees).map((name) => [name, answersOf(clone, name)]));

type Pending = ReturnType<typeof pendingOf>;
const pendingOf = (clone: Clone, worktree: string) => ({
  view: viewOf(clone, worktree),
  decision: pendingIn(clone, worktree),
});

/** Notes what an agent or a person did, if the process lived long enough to store it. */
function note(game: Game, clone: Clone, action: Action, pending: Pending): void {
  const truth = game.truth(clone.name);
  const { turn } = game.table.world;
  const isStored = (batch: string) => clone.store.statements.some((one) => one.batch === batch);
  const by: Noting = { truth, batch: `${action.kind} ${turn}`, pending };
  if (action.kind === "undo") for (const { batch } of clone.store.voids) truth.undone.add(batch);
  if (action.kind === "loseState") truth.forget();
  if (isStored(by.batch)) {
    if (action.kind === "ack") noteAck(by);
    if (action.kind === "run") noteRun(by);
    if (action.kind === "apply") noteApply(by, action.answers(pending.decision));
    if (action.kind === "share") noteShared(by, clone);
  }
  if (isStored(`install ${turn}`)) {
    for (const [path, blob] of Object.entries(treeOf(clone, MAIN))) {
      for (const state of symbolsOf(blob).values()) truth.look(path, state, `install ${turn}`);
    }
  }
  if (action.kind === "documents") noteDocuments(game, clone, action);
  if (isGitAction(action)) noteTracked(game, clone);
}

interface Noting {
  truth: Truth;
  batch: string;
  /** As it was before. */
  pending: Pending;
}

function noteAck({ truth, batch, pending: { view, decision } }: Noting): void {
  for (const [path, listed] of Object.entries(decision.files)) {
    for (const state of symbolsIn(view.tree, path).values()) {
      const shown = view.text(path, state);
      const isUnderReview = shown?.nearness === "behaviour" || shown?.nearness === "interface";
      const isExact = shown?.stated.state.hash === state.hash;
      if (shown === null || isExact || (isUnderReview && !listed.includes(keyOf(state))))
        truth.look(path, state, batch);
      else truth.write(path, state, batch, shown.text);
    }
  }
}

function noteRun({ truth, batch, pending: { view, decision } }: Noting): void {
  for (const path of Object.keys(decision.files)) {
    for (const state of symbolsIn(view.tree, path).values()) {
      const shown = view.text(path, state);
      if (shown === null || shown.stated.state.hash === state.hash) truth.look(path, state, batch);
    }
  }
}

function noteApply(
  { truth, batch, pending: { view } }: Noting,
  answers: ReadonlyMap<string, ReadonlyMap<string, Answer>>,
): void {
  for (const [path, own] of answers) {
    const symbols = symbolsIn(view.tree, path);
    for (const [key, answer] of own) {
      const state = symbols.get(key);
      if (state === undefined) continue;
      const text = answer === "unchanged" ? view.text(path, state)?.text : answer.text;
      if (text === undefined) truth.look(path, state, batch);
      else truth.write(path, state, batch, text);
      const imports = key === "file " ? symbols.get("imports ") : undefined;
      if (imports !== undefined) truth.look(path, imports, batch);
    }
  }
}

function noteShared({ truth, batch }: Noting, { store }: Clone): void {
  for (const one of store.statements) {
    if (one.kind === "symbol" && one.batch === batch && one.text !== null)
      truth.write(one.path, one.state, batch, one.text, false);
  }
}

/** Documents bring what was done where they were made. */
function noteDocuments(game: Game, clone: Clone, action: Extract<Action, { kind: "documents" }>): void {
  const truth = game.truth(clone.name);
  const other = Object.values(game.truths).find((one) => one !== truth) ?? truth;
  const batch = `documents ${game.table.world.turn}`;
  if (action.why === "copy" || action.why === "conflict") truth.bring(other, null);
  if (action.why === "foreign") {
    for (const [path, blob] of Object.entries(commitAt(clone.world, headOf(clone, MAIN)).tree)) {
      for (const state of symbolsOf(blob).values()) truth.look(path, state, batch, false);
    }
  }
  if (action.why !== "foreign" && action.why !== "edit") return;
  const { graph } = action.documents;
  if (graph === null) return;
  for (const { path, type, name, summary } of (JSON.parse(sidesOf(graph)[0] ?? "") as Graph).nodes) {
    const state = symbolsIn(commitAt(clone.world, headOf(clone, MAIN)).tree, path).get(keyOf({ type, name }));
    const isNew =
      summary === `edit ${game.table.world.turn}` || summary.startsWith(`another ${game.table.world.turn} `);
    if (state !== undefined && isNew) truth.write(path, state, batch, summary, false);
  }
}

/** Where HEAD tracks documents, what any clone did counts as far as they say so. */
function noteTracked(game: Game, clone: Clone): void {
  const { documents } = commitAt(clone.world, headOf(clone, MAIN));
  if (documents === null) return;
  const other = Object.values(game.truths).find((one) => one !== game.truth(clone.name));
  if (other !== undefined)
    game.truth(clone.name).bring(other, { commit: headOf(clone, MAIN), document: documents.graph });
}

/** What the arrival of a document has to do at once. */
function arrived(clone: Clone, action: Action, before: Record<string, Answers>): Failure | null {
  if (action.kind !== "documents") return null;
  const { killIn } = clone;
  clone.killIn = null;
  for (const name of Object.keys(clone.worktrees)) sync(clone, name);
  clone.killIn = killIn;
  const after = everyAnswer(clone);
  if (action.why === "restore" || action.why === "damage") {
    for (const [name, answers] of Object.entries(before)) {
      const difference = differences(answers, after[name] ?? answers);
      if (difference !== "")
        return {
          property: "our own document says nothing new",
          message: `${action.why}, ${clone.name}/${name}: ${difference}`,
        };
    }
  }
  if (action.why === "edit") return editShown(clone, action, after);
  return null;
}

/** An edited text is shown for HEAD's content; a node that was removed by hand comes back. */
function editShown(
  clone: Clone,
  action: Extract<Action, { kind: "documents" }>,
  after: Record<string, Answers>,
): Failure | null {
  const graph = JSON.parse(sidesOf(action.documents.graph ?? "")[0] ?? "") as Graph;
  const edited = graph.nodes.find(({ summary }) => summary === `edit ${clone.world.turn}`);
  if (edited === undefined || treeOf(clone, MAIN)[edited.path] === undefined) return null;
  const shown = after[MAIN]?.texts[`${edited.path} ${keyOf(edited)}`];
  if (shown === `${edited.summary} @ this`) return null;
  return { property: "an edit is shown", message: `${edited.path} ${keyOf(edited)} shows ${shown}` };
}

/** Where a list of moves fails first. */
export function firstFailure(moves: readonly Move[], options: Options): (Failure & { at: number }) | null {
  const game = new Game(options);
  for (const [at, move] of moves.entries()) {
    const failure = game.play(move);
    if (failure !== null) return { ...failure, at };
  }
  return null;
}

/** The shortest part of the moves that fails in the same way. */
export function shrinkMoves(moves: readonly Move[], isFailing: (part: readonly Move[]) => boolean): Move[] {
  let known = [...moves];
  for (let size = Math.ceil(known.length / 2); size >= 1; ) {
    let isShorter = false;
    for (let at = 0; at < known.length; ) {
      const part = [...known.slice(0, at), ...known.slice(at + size)];
      if (isFailing(part)) {
        known = part;
        isShorter = true;
      } else at += size;
    }
    if (size === 1 && !isShorter) break;
    if (!isShorter) size = Math.max(1, Math.floor(size / 2));
  }
  return known;
}

export const movesFor = (seed: number): Move[] => {
  const roll = dice(seed);
  return randomMoves(roll, 30 + roll(50));
};
