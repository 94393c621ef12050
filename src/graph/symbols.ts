import type { ClassFingerprint, FileFingerprint, FunctionFingerprint } from "../fingerprint/types.js";
import { isUncheckedClass, isUncheckedFunction, type SymbolKind, type SymbolNodeType, symbolId } from "./ids.js";
import { byText } from "./order.js";

interface SymbolPlace {
  id: string;
  /** Of its node. */
  type: SymbolNodeType;
  name: string;
  lineRange: [number, number];
  exported: boolean;
  /** The class in the same file that contains it, for a method or a nested class. */
  owner: string | undefined;
}

export type FileSymbol = SymbolPlace &
  ({ kind: "function"; shape: FunctionFingerprint } | { kind: "class"; shape: ClassFingerprint });

/** The declarations of a file, by position; overloads and reopened classes are one symbol that spans them all. */
export function symbolsOf(path: string, fp: FileFingerprint): FileSymbol[] {
  const classNames = new Set(fp.classes.map((cls) => cls.name));
  const exportedNames = new Set(fp.exports);
  const typeOf = symbolTypes(path, fp);
  const place = (kind: SymbolKind, shape: FunctionFingerprint | ClassFingerprint): SymbolPlace => {
    const type = typeOf(kind, shape.name);
    return {
      id: symbolId(type, path, shape.name),
      type,
      name: shape.name,
      lineRange: [...shape.lineRange],
      exported: shape.exported || exportedNames.has(shape.name),
      owner: ownerOf(shape.name, classNames),
    };
  };
  const found: FileSymbol[] = [
    ...fp.classes.map((shape) => ({ kind: "class" as const, shape, ...place("class", shape) })),
    ...fp.functions.map((shape) => ({ kind: "function" as const, shape, ...place("function", shape) })),
  ];
  return mergeSameId(found).sort(byPosition);
}

/** The types that the nodes of a file's symbols have. */
export function symbolTypes(
  path: string,
  fp: Pick<FileFingerprint, "classes">,
): (kind: SymbolKind, name: string) => SymbolNodeType {
  const kinds = new Map(fp.classes.map(({ name, kind }) => [name, kind]));
  return (kind, name) => {
    const own = kind === "class" ? kinds.get(name) : undefined;
    const isUnchecked =
      own === undefined ? isUncheckedFunction(path, kinds.get(beforeLastDot(name))) : isUncheckedClass(path, own);
    return isUnchecked ? "concept" : kind;
  };
}

/** `Outer.Inner.method` belongs to `Outer.Inner` if this file has it: Go and C++ define methods outside the class. */
function ownerOf(name: string, classNames: ReadonlySet<string>): string | undefined {
  const owner = beforeLastDot(name);
  return classNames.has(owner) ? owner : undefined;
}

function beforeLastDot(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(".")));
}

function mergeSameId(symbols: readonly FileSymbol[]): FileSymbol[] {
  const byId = new Map<string, FileSymbol>();
  for (const symbol of symbols) {
    const known = byId.get(symbol.id);
    if (known === undefined) {
      byId.set(symbol.id, symbol);
      continue;
    }
    known.exported ||= symbol.exported;
    known.lineRange = [
      Math.min(known.lineRange[0], symbol.lineRange[0]),
      Math.max(known.lineRange[1], symbol.lineRange[1]),
    ];
  }
  return [...byId.values()];
}

function byPosition(a: FileSymbol, b: FileSymbol): number {
  return a.lineRange[0] - b.lineRange[0] || b.lineRange[1] - a.lineRange[1] || byText(a.id, b.id);
}
