import assert from "node:assert/strict";
import { test } from "node:test";
import { type FunctionContent, textOf } from "./contents.js";
import { type Action, cloneOf, functionOf, newTable, OURS, perform, type Table } from "./moves.js";
import { type Answers, answersOf } from "./properties.js";
import { type Clone, commitAt, headOf, MAIN } from "./statements.js";

/** What people do, told step by step: where random moves seldom come, and where the model is best understood. */

const PATH = "src/new.ts";

class Story {
  readonly table: Table = newTable();
  readonly clone: Clone = cloneOf(this.table.world, OURS);
  #functions: readonly FunctionContent[] = [];

  /** A file of functions whose bodies are long enough to be known under another name. */
  constructor() {
    this.commit([
      { ...functionOf("f", 0), isTall: true },
      { ...functionOf("g", 0), isTall: true, body: 7 },
    ]);
    this.do({ kind: "ack" });
  }

  do(step: { kind: "ack" | "undo" | "sync" | "loseState" | "backup" }): void {
    this.table.world.turn++;
    this.table.world.clock += 10;
    perform(this.table, { clone: OURS, worktree: MAIN, kind: step.kind });
  }

  commit(functions: readonly FunctionContent[], path = PATH): void {
    this.#functions = functions;
    const head = commitAt(this.table.world, headOf(this.clone, MAIN));
    const text = textOf({ comment: 0, imports: [], constant: 0, calls: 0, functions });
    const tree = { ...head.tree, [path]: text };
    this.#perform({ kind: "commit", snapshot: { tree, ignored: head.ignored, documents: head.documents } });
    this.do({ kind: "sync" });
  }

  change(name: string, next: Partial<FunctionContent>): void {
    this.commit(this.#functions.map((one) => (one.name === name ? { ...one, ...next } : one)));
  }

  /** Describes a symbol of the file, asked or not: all is asked for a moment. */
  describe(key: string, text: string): void {
    this.clone.refresh = "every";
    this.change("f", { body: 5 });
    this.#perform({ kind: "apply", answers: () => new Map([[PATH, new Map([[key, { text }]])]]) });
    this.clone.refresh = "structural";
    this.do({ kind: "ack" });
  }

  answers(): Answers {
    return answersOf(this.clone, MAIN);
  }

  shown(key: string): string | null | undefined {
    return this.answers().texts[`${PATH} ${key}`];
  }

  #perform(action: Partial<Action>): void {
    this.table.world.turn++;
    this.table.world.clock += 10;
    perform(this.table, { clone: OURS, worktree: MAIN, ...action } as Action);
  }
}

test("a function that changes its behaviour and is then renamed keeps its text, flagged", () => {
  const story = new Story();
  story.describe("function f", "says what f does");
  story.change("f", { loops: 1 });
  story.change("f", { name: "h" });
  assert.match(story.shown("function h") ?? "", /^says what f does @ export function f/, "about the content before");
  story.do({ kind: "ack" });
  assert.match(story.shown("function h") ?? "", /^says what f does @ export function f/, "nobody was asked about it");
  assert.equal(story.answers().action, "SKIP");
});

test("an ack of a neighbor leaves a text under review as it is", () => {
  const story = new Story();
  story.describe("function f", "never throws");
  story.change("f", { loops: 1 });
  assert.deepEqual(story.answers().files, {}, "behaviour is not asked about");
  story.change("g", { params: 2 });
  assert.deepEqual(story.answers().files, { [PATH]: ["file ", "function g"] });
  story.do({ kind: "ack" });
  assert.equal(story.answers().action, "SKIP");
  assert.match(story.shown("function f") ?? "", /^never throws @ export/, "still about the content before");
});

test("a branch that was visited and described leaves nothing behind", () => {
  const story = new Story();
  const before = story.answers();
  story.change("f", { params: 2 });
  story.describe("function f", "about the branch");
  story.change("f", { params: 0, body: 0 });
  assert.deepEqual(story.answers(), before);
});

test("an undo takes the ack back, and a copy of the documents from between does not bring it again", () => {
  const story = new Story();
  story.describe("function f", "what f does");
  story.change("f", { params: 2 });
  const before = story.answers();
  assert.equal(before.action, "PARTIAL_UPDATE");
  story.do({ kind: "ack" });
  story.do({ kind: "backup" });
  story.do({ kind: "undo" });
  assert.deepEqual(story.answers(), before);
  for (let at = 0; at < 9; at++) story.change("g", { body: at }); // so that nobody takes the copy for our own late write
  const later = story.answers();
  const [backup] = story.table.backups;
  story.clone.disk = { ...(backup?.documents ?? story.clone.disk) };
  story.do({ kind: "sync" });
  assert.deepEqual(story.answers(), later);
});
