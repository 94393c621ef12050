import { BRANCHES, COMPARES, THROWS } from "./behaviour.js";
import type { Handler, LanguageRules } from "./rules.js";

/** What is asked of web-tree-sitter's Language. Its own declarations do not compile in a strict project of our users. */
interface Grammar {
  readonly types: readonly string[];
  readonly fields: readonly (string | null)[];
  nodeTypeIsNamed(id: number): boolean;
}

/** Keywords and punctuation, as opposed to tokens that only bear a name: `automatic_semicolon`, `\n`. */
const FIXED = /^\S+$/;
const CLOSERS = new Set([")", "]", "}", ">", "|"]);
const TYPE_ARGUMENTS = /^(?:type|template)_arg/;
/** Parents in which `<` and `>` are brackets, and `!` a type's. */
const NO_OPERATORS = /type|template|generic|jsx|parameters|annotation|constructor/;
const OPERATORS = [
  ...["&&", "||", "!", "==", "!=", "===", "!==", "<", ">", "<=", ">=", "??", "<=>", "=~", "!~", "~="],
  ...["?:", "||=", "&&=", "??="],
  ...["and", "or", "not", "xor", "in", "not in", "is", "is not", "!in", "!is", "instanceof"],
  ...["operator_identifier", "test_operator"],
];
const BLANK = /^\s*$/;

/** Fields and types of a node's children. */
export interface ChildPlaces {
  fields: Uint8Array;
  types: Uint8Array;
  isNone: boolean;
}

type Canonical = (text: string, parentType: string) => string;

/** A language's rules by the grammar's numeric node types, so that the walk compares no strings. */
export class CompiledRules {
  readonly typeNames: readonly string[];
  readonly fieldNames: readonly string[];
  readonly named: Uint8Array;
  readonly comments: Uint8Array;
  readonly trailingComma: Uint8Array;
  readonly closer: Uint8Array;
  /** Types whose children, if there are any, are not looked at. */
  readonly leaf: Uint8Array;
  /** The text of keywords and punctuation. */
  readonly fixed: (string | undefined)[];
  /** Fixed tokens that do not always count. */
  readonly special: Uint8Array;
  readonly leading: Uint8Array;
  readonly greedy: Uint8Array;
  readonly ownLine: Uint8Array;
  /** Types whose begin and end, and whose statements, are marked among the tokens. */
  readonly frame: Uint8Array;
  readonly hidden: number;
  /** Types whose nodes may do nothing but document. */
  readonly documenting: Uint8Array;
  /** The type of the statement that does nothing. */
  readonly emptyType: number;
  readonly handlers: (Handler | undefined)[];
  readonly importers: (NonNullable<LanguageRules["imports"]>[string] | undefined)[];
  /** Where the arguments of a call begin; undefined for what is no call. */
  readonly calls: (ChildPlaces | undefined)[];
  readonly binders: (ChildPlaces | undefined)[];
  readonly typeArguments: Uint8Array;
  /** What a node of this type does, as bits of behaviour.ts. */
  readonly behaviour: Uint8Array;
  /** Types whose operators are none. */
  readonly noOperators: Uint8Array;
  readonly throwing: ReadonlySet<string>;
  readonly throwingNames: RegExp | undefined;
  readonly importStatements: Uint8Array;
  /** Types that mean something wherever they stand: all that the tables above have. */
  readonly looked: Uint8Array;
  readonly elided: (ReadonlySet<number> | undefined)[];
  readonly silent: (NonNullable<LanguageRules["silent"]>[string] | undefined)[];
  readonly noise: ReadonlySet<string>;
  private readonly fieldIds: ReadonlyMap<string, number>;
  private readonly atoms: (true | Canonical | undefined)[];
  private readonly optional: Uint8Array;
  private readonly kept: Uint8Array;
  private readonly transparent: (ReadonlySet<string> | undefined)[];
  private readonly optionalIn: (readonly string[] | undefined)[];

  constructor(
    readonly language: LanguageRules,
    grammar: Grammar,
  ) {
    const { tokens } = language;
    const types = grammar.types;
    this.typeNames = types;
    this.fieldNames = grammar.fields.map((name) => name ?? "");
    this.fieldIds = new Map(this.fieldNames.map((name, id) => [name, id]));
    const ids = idsByName(types);
    const flags = (names: readonly string[] = []) => {
      const flagged = new Uint8Array(types.length);
      for (const name of names) for (const id of ids.get(name) ?? []) flagged[id] = 1;
      return flagged;
    };
    const table = <T>(entries: Readonly<Record<string, T>> = {}) => {
      const listed = new Array<T | undefined>(types.length).fill(undefined);
      for (const [name, entry] of Object.entries(entries)) for (const id of ids.get(name) ?? []) listed[id] = entry;
      return listed;
    };
    this.named = Uint8Array.from(types, (_, id) => (grammar.nodeTypeIsNamed(id) ? 1 : 0));
    this.comments = flags(tokens.comments);
    this.trailingComma = flags(tokens.trailingCommaIn);
    this.hidden = tokens.hidden?.charCodeAt(0) ?? -1;
    this.documenting = flags(tokens.documentation && [tokens.documentation.statement]);
    this.emptyType = types.indexOf(tokens.documentation?.empty[0] ?? "");
    this.greedy = flags(tokens.greedy);
    this.ownLine = flags(tokens.ownLine);
    this.frame = flags(tokens.frames);
    this.leading = flags(language.leading);
    this.closer = flags([...CLOSERS]);
    // A keyword can have the name of a node: `class`, `module`.
    const nodes = <T>(entries?: Readonly<Record<string, T>>) =>
      table(entries).map((entry, id) => (this.named[id] === 1 ? entry : undefined));
    this.handlers = nodes(language.declarations);
    this.importers = nodes(language.imports);
    const placed = (entries?: Readonly<Record<string, readonly string[]>>) =>
      nodes(entries).map(
        (names) => names && { types: flags(names), fields: this.fieldFlags(names), isNone: names.length === 0 },
      );
    this.calls = placed(language.calls?.at);
    this.binders = placed(language.calls?.binds);
    this.typeArguments = Uint8Array.from(types, (name) => (TYPE_ARGUMENTS.test(name) ? 1 : 0));
    const { branches, throws, throwingCalls, throwingNames, comparisons = [] } = language.behaviour ?? {};
    const operators = language.behaviour === undefined ? [] : [...OPERATORS, ...comparisons];
    const [branching, throwingNodes, comparing] = [flags(branches), flags(throws), flags(operators)];
    this.behaviour = branching.map(
      (flag, id) => flag * BRANCHES + (throwingNodes[id] ?? 0) * THROWS + (comparing[id] ?? 0) * COMPARES,
    );
    this.noOperators = Uint8Array.from(types, (name) => (NO_OPERATORS.test(name) ? 1 : 0));
    this.throwing = new Set(throwingCalls);
    this.throwingNames = throwingNames;
    this.importStatements = flags(language.importStatements);
    this.looked = this.behaviour.map((bits, id) => {
      const isUsed = bits !== 0 || this.importStatements[id] === 1;
      return isUsed || (this.calls[id] ?? this.binders[id] ?? this.importers[id]) !== undefined ? 1 : 0;
    });
    this.elided = table(language.elided).map((fields) => fields && new Set(fields.map((field) => this.fieldId(field))));
    this.silent = table(language.silent);
    this.noise = new Set(language.noise);
    this.atoms = nodes(tokens.atoms);
    this.optional = flags(tokens.optional);
    this.kept = flags(tokens.keptIn);
    this.transparent = nodes(tokens.transparent).map((parents) => parents && new Set(parents));
    this.optionalIn = table(tokens.optionalIn);
    const leaves = flags(tokens.leaves);
    this.leaf = leaves.map((flag, id) => (this.named[id] === 0 || this.atoms[id] !== undefined ? 1 : flag));
    this.fixed = types.map((name, id) => (this.named[id] === 0 && FIXED.test(name) ? name : undefined));
    this.special = flags([...(tokens.optional ?? []), ...Object.values(tokens.optionalIn ?? {}).flat()]);
  }

  get meaningful() {
    return this.language.tokens.meaningful;
  }

  /** A field that this grammar does not have gets a number that no node has. */
  fieldId(name: string): number {
    return this.fieldIds.get(name) ?? -1;
  }

  private fieldFlags(names: readonly string[]): Uint8Array {
    return Uint8Array.from(this.fieldNames, (name) => (names.includes(name) ? 1 : 0));
  }

  isAtom(typeId: number): boolean {
    return this.atoms[typeId] !== undefined;
  }

  isTransparent(typeId: number, parentTypeId: number): boolean {
    return this.transparent[typeId]?.has(this.typeNames[parentTypeId] ?? "") ?? false;
  }

  /** The token that stands for a leaf; empty if the leaf means nothing there. */
  canonical(typeId: number, parentTypeId: number, text: string): string {
    const atom = this.atoms[typeId];
    if (typeof atom === "function") return atom(text, this.typeNames[parentTypeId] ?? "");
    if (atom === true || this.named[typeId] !== 0) return text;
    const isWhole = this.fixed[typeId] === text;
    if (isWhole && this.optional[typeId] === 1 && this.kept[parentTypeId] !== 1) return "";
    if (isWhole && this.optionalIn[parentTypeId]?.includes(text)) return "";
    return BLANK.test(text) ? "" : text;
  }
}

/** A keyword and a node may have one name. */
function idsByName(types: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const ids = new Map<string, number[]>();
  for (const [id, name] of types.entries()) {
    const same = ids.get(name);
    if (same === undefined) ids.set(name, [id]);
    else same.push(id);
  }
  return ids;
}
