import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { nodesOfFile } from "../graph/build.js";
import { describedContent, hasDescription, UNKNOWN_CONTENT, withoutReview } from "../graph/descriptions.js";
import { fileId } from "../graph/ids.js";
import { moveId } from "../graph/rename.js";
import type { GraphNode } from "../graph/types.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { type Choice, type ChoiceOptions, choose, type Nearness } from "./choose.js";
import { type DescriptionKey, FileKeys } from "./description-keys.js";
import {
  type Description,
  descriptionsOf,
  descriptionsWith,
  followed,
  isOldCopy,
  isSameText,
  type NewDescription,
  putDescription,
  type TextTime,
  textOf,
  withText,
} from "./descriptions.js";
import { storedFacts } from "./facts.js";

/** Where a text comes from, for all nodes of a delivery. */
export type TextOrigin = Pick<NewDescription, "source" | "author" | "at" | "commit" | "language">;

/** What is asked of the state around a file. */
export interface ChoiceContext {
  db: Db;
  trackedCounts: boolean;
  /** The content of another path in the state that is being described; null for none. */
  oidOf(path: string): string | null;
}

/** By default, other paths are as the graph describes them. */
export function choiceContext(db: Db, scope: string, given: Partial<ChoiceContext> = {}): ChoiceContext {
  const sql = "SELECT analysed_oid AS oid FROM baseline WHERE scope = ? AND path = ?";
  return {
    db,
    trackedCounts: readSetting(db, SETTINGS.graphOrigin, scope) === "tracked",
    oidOf: (path) => db.get<{ oid: string | null }>(sql, scope, pathKey(path))?.oid ?? null,
    ...given,
  };
}

/** The stored descriptions of one file's nodes at one content. */
export class FileDescriptions {
  readonly #db: Db;
  readonly #file: { path: string; oid: string; fact: FileFingerprint | undefined };
  readonly #keys: FileKeys;
  readonly #options: ChoiceOptions;
  readonly #candidates = new Map<string, Description[]>();
  readonly #followed: NewDescription[] = [];

  constructor(context: ChoiceContext, file: { path: string; oid: string; fact: FileFingerprint | undefined }) {
    this.#db = context.db;
    this.#file = file;
    this.#keys = new FileKeys(file.path, file.oid, file.fact);
    const elsewhere = presence(context);
    this.#options = {
      trackedCounts: context.trackedCounts,
      isThere: (place) =>
        place.path === file.path
          ? this.#keys.has(place.type, place.name)
          : elsewhere(place.path, place.type, place.name),
    };
  }

  /** Stores the written descriptions among these. */
  put(nodes: readonly GraphNode[], origin: TextOrigin, time: TextTime): void {
    for (const node of nodes) this.#put(node, this.#keys.of(node), origin, time);
    this.#candidates.clear();
  }

  #put(node: GraphNode, key: DescriptionKey, origin: TextOrigin, time: TextTime): void {
    const { oid, fact } = this.#file;
    if (isWritten(node, fact)) putDescription(this.#db, { ...origin, key, oid, text: textOf(node) }, time);
  }

  /** The same for a graph that something else wrote or brought: a node may say that its text is about another content. */
  adopt(nodes: readonly GraphNode[], origin: TextOrigin): void {
    // One that came by git has the time of its commit.
    const time = origin.source === "tracked" ? "own" : "new";
    for (const node of nodes) {
      const key = this.#subject(node);
      if (key !== null && !isOldCopy(this.#db, key, textOf(node))) this.#put(node, key, origin, time);
    }
    this.#candidates.clear();
  }

  /** The key of the content that a node's text describes; null if it is stored, or if it is not known and the text is stored for any. */
  #subject(node: GraphNode): DescriptionKey | null {
    const key = this.#keys.of(node);
    // The version before said only that a text needs a review.
    const hash = describedContent(node) ?? (node.needsReview === undefined ? undefined : UNKNOWN_CONTENT);
    if (hash === undefined || hash === key.hash) return key;
    const text = textOf(node);
    const about = this.#written().filter((one) => one.key.type === key.type);
    const isStored = about.some(
      (one) => (hash === UNKNOWN_CONTENT || one.key.hash === hash) && isSameText(one.text, text),
    );
    if (isStored) return null;
    const known = about.find((one) => one.key.hash === hash && one.key.name === key.name)?.key;
    return known ?? { ...keyAsFar(key, node), hash };
  }

  /** Whether the file still has what a node is about. */
  has(node: GraphNode): boolean {
    const { type, name } = this.#keys.of(node);
    return this.#keys.has(type, name);
  }

  choose(node: GraphNode): Choice<Description> | null {
    return this.chooseFor(this.#keys.of(node));
  }

  chooseFor(key: DescriptionKey): Choice<Description> | null {
    return choose(key, [...this.#written(), ...this.#elsewhere(key)], this.#options);
  }

  /** What was written for this path, at any content. */
  #written(): Description[] {
    return this.#once("", () => descriptionsOf(this.#db, this.#file.path).map((one) => this.#byTokens(one)));
  }

  /**
   * A file that had no grammar was described by its blob, here or in a clone with an older program: where it has one now, that
   * text is about what the blob's tokens say.
   */
  #byTokens(description: Description): Description {
    const { path, oid: here, fact: now } = this.#file;
    const { key, oid } = description;
    if (key.name !== fileId(path) || key.type !== "file" || now?.hasStructuralAnalysis !== true) return description;
    const fact = oid === here ? now : storedFacts(this.#db, { keep: false }).get(oid, extractorOf(path));
    return fact === null
      ? description
      : { ...description, key: new FileKeys(path, oid, { ...fact, filePath: path }).ofSymbol("file", "") };
  }

  /** What was written for the same content at another path. */
  #elsewhere(wanted: DescriptionKey): Description[] {
    const { path } = this.#file;
    const read = () => descriptionsWith(this.#db, wanted).filter(({ key }) => key.path !== path);
    return this.#once(wanted.hash, read);
  }

  #once(key: string, read: () => Description[]): Description[] {
    const known = this.#candidates.get(key) ?? read();
    this.#candidates.set(key, known);
    return known;
  }

  /** Nodes with the text that stands for this content. A text that does not count here becomes a generated sentence again. */
  describe(nodes: readonly GraphNode[]): GraphNode[] {
    let plain: ReadonlyMap<string, GraphNode> | undefined;
    return nodes.map((node) => {
      const found = this.choose(node);
      if (found !== null) return this.#shown(node, found);
      if (!isWritten(node, this.#file.fact)) return node;
      plain ??= plainNodes(this.#file.path, this.#file.fact);
      return plain.get(node.id) ?? node;
    });
  }

  /** New nodes of the structural analyzer, with what was written for this content, or for the nearest to it that may describe it. */
  describeNew(nodes: readonly GraphNode[], mayDescribe: (node: GraphNode, nearness: Nearness) => boolean): GraphNode[] {
    return nodes.map((node) => {
      const found = this.choose(node);
      return found === null || !mayDescribe(node, found.nearness) ? node : this.#shown(node, found);
    });
  }

  #shown(node: GraphNode, found: Choice<Description>): GraphNode {
    const key = this.#keys.of(node);
    const { path, name } = found.description.key;
    if (path !== key.path || name !== key.name) this.#followed.push(followed(found.description, key));
    return described(node, found);
  }

  /**
   * Texts that were given to nodes and were written at another place. Stored at this one too, with the graph that shows them, they stay with their
   * symbol when it changes next.
   */
  followed(): readonly NewDescription[] {
    return this.#followed;
  }

  /** The texts that stand for the file's symbols, as those of the file's new name. */
  underName(to: string): NewDescription[] {
    const { path, oid, fact } = this.#file;
    const keys = new FileKeys(to, oid, fact);
    const others = this.#written().filter(({ key: { hash, name } }) => hash === `blob:${oid}` && name !== "");
    const symbols = this.#keys.all().flatMap((key) => {
      const found = this.chooseFor(key)?.description;
      return found === undefined ? [] : [followed(found, keys.ofSymbol(key.type, key.name))];
    });
    const moved = others.map((one) => followed(one, { ...one.key, path: to, name: moveId(one.key.name, path, to) }));
    return [...symbols, ...moved];
  }
}

/** What is about another content says so, and what may have become false, why. */
function described(node: GraphNode, { description, nearness }: Choice<Description>): GraphNode {
  const shown = withoutReview(isSameText(description.text, textOf(node)) ? node : withText(node, description.text));
  if (nearness === "exact" || nearness === "moved") return shown;
  const about = { ...shown, describes: description.key.hash };
  if (nearness === "body") return about;
  return { ...about, needsReview: nearness === "interface" ? true : nearness };
}

/** Of a content that is not stored here: how far it is from the node's own, as the node says. */
function keyAsFar({ type, path, name, signature, behaviour, isAside }: DescriptionKey, node: GraphNode) {
  const { needsReview } = node;
  return {
    ...{ type, path, name },
    ...(signature !== undefined && (needsReview === undefined || needsReview === "behaviour") ? { signature } : {}),
    ...(behaviour !== undefined && needsReview === undefined ? { behaviour } : {}),
    ...(isAside === true ? { isAside } : {}),
  };
}

/** Whether another file has a symbol. */
function presence({ db, oidOf }: ChoiceContext): (path: string, type: string, name: string) => boolean {
  const facts = storedFacts(db, { keep: false });
  return (path, type, name) => {
    const oid = oidOf(path);
    if (oid === null) return false;
    const fact = facts.get(oid, extractorOf(path));
    // Not known: it may be there.
    return fact === null || new FileKeys(path, oid, { ...fact, filePath: path }).has(type, name);
  };
}

/** Written by an agent or a person: neither generated nor the authors' own doc comment, however it came here. */
function isWritten(node: GraphNode, fact: FileFingerprint | undefined): boolean {
  if (!hasDescription(node)) return false;
  const { file, functions = {}, classes = {} } = fact?.docs ?? {};
  const sentences = [file, ...Object.values(functions), ...Object.values(classes)];
  return !sentences.includes(node.summary);
}

/** The structural analyzer's nodes of a file, by id: what stands where there is no description. */
function plainNodes(path: string, fact: FileFingerprint | undefined): ReadonlyMap<string, GraphNode> {
  return new Map((fact === undefined ? [] : nodesOfFile(path, fact)).map((node) => [node.id, node]));
}
