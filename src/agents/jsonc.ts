import { createScanner, findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { UaError } from "../errors.js";
import { isTooDeep } from "../json-depth.js";

/**
 * Edits settings that users write by hand at one place only: comments, order, layout and line ends stay as they are.
 * The edits of the library reformat neighbouring lines, so only its parser is used.
 */
type Path = readonly (string | number)[];

/** Appends a value to the list at `path`; creates the list and its parents if they are missing. */
export function append(text: string, path: Path, value: unknown): string {
  const found = deepest(text, path);
  const rest = path.slice(found.depth);
  // Missing parents are created around the value, from the inside out.
  const whole = rest.slice(1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), [value]);
  const isList = rest.length === 0;
  return insertLast(text, found.node, isList ? null : String(rest[0]), isList ? value : whole);
}

export function setMissing(text: string, key: string, value: unknown): string {
  return insertLast(text, deepest(text, []).node, key, value);
}

/** Removes the element or property at `path`, with its comma and its line. */
export function remove(text: string, path: Path): string {
  const node = nodeAt(text, path);
  const child = node?.parent?.type === "property" ? node.parent : node;
  const siblings = child?.parent?.children;
  if (child === undefined || siblings === undefined) return text;
  const at = siblings.indexOf(child);
  const end = child.offset + child.length;
  const after = commaAfter(text, end);
  const previous = siblings[at - 1];
  const isLast = at === siblings.length - 1;
  const before =
    previous === undefined || !isLast || after !== null ? null : commaAfter(text, previous.offset + previous.length);
  const start = startOfLine(text, child.offset);
  const rest = text.slice(0, start) + text.slice(after === null ? end : after + 1);
  return before === null ? rest : rest.slice(0, before) + rest.slice(before + 1);
}

export function valueAt(text: string, path: Path): unknown {
  const node = nodeAt(text, path);
  return node === undefined ? undefined : getNodeValue(node);
}

/** Parses a settings file: comments and trailing commas are allowed, anything else is an error. */
export function parseSettings(text: string, file: string): Record<string, unknown> {
  if (isTooDeep(text)) throw damagedSettings(file);
  const errors: ParseError[] = [];
  const root = parseTree(blanked(text), errors, OPTIONS);
  if (errors.length > 0 || root?.type !== "object") throw damagedSettings(file);
  return getNodeValue(root) as Record<string, unknown>;
}

export function damagedSettings(what: string): UaError {
  return new UaError(
    "damaged",
    `${what} is not valid JSON for its agent`,
    "correct the file, then run `ua-hooks install` again",
  );
}

const OPTIONS = { allowTrailingComma: true };

/** A byte order mark is replaced by a space, so that offsets stay correct. */
const blanked = (text: string) => (text.startsWith("\ufeff") ? ` ${text.slice(1)}` : text);

function nodeAt(text: string, path: Path): Node | undefined {
  const root = parseTree(blanked(text), [], OPTIONS);
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}

/** The innermost list or object of the path that exists. */
function deepest(text: string, path: Path): { node: Node; depth: number } {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = nodeAt(text, path.slice(0, depth));
    if (node !== undefined) return { node, depth };
  }
  throw new Error("unreachable: settings were parsed before");
}

function insertLast(text: string, parent: Node, key: string | null, value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const close = parent.offset + parent.length - 1;
  const last = parent.children?.at(-1);
  const outer = indentAt(text, parent.offset);
  const own = last === undefined ? null : ownIndent(text, last.offset);
  const indent = own ?? outer + unit;
  const body = `${key === null ? "" : `${JSON.stringify(key)}: `}${JSON.stringify(value, null, unit)}`;
  const lines = body.split("\n").join(`${eol}${indent}`);
  // After everything in it, a last comment included; a `//` comment needs its line end.
  const inner = text.slice(0, close).trimEnd().length;
  const closing = text.slice(inner, close).includes("\n") ? "" : `${eol}${outer}`;
  const end = last === undefined ? inner : last.offset + last.length;
  // If the list has a trailing comma, keep that style.
  const isOpen = last !== undefined && commaAfter(text, end) !== null;
  const comma = last === undefined || isOpen ? "" : ",";
  const added = `${eol}${indent}${lines}${isOpen ? "," : ""}${closing}`;
  return text.slice(0, end) + comma + text.slice(end, inner) + added + text.slice(inner);
}

/** The position of the comma after an element, comments skipped; null if there is none. */
function commaAfter(text: string, end: number): number | null {
  const scanner = createScanner(blanked(text), true);
  scanner.setPosition(end);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : null;
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** The indentation of something that starts its line; null if it does not start one. */
function ownIndent(text: string, offset: number): string | null {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*$/.test(before) ? before : null;
}

/** The line end before something that starts its line, otherwise its own start. */
function startOfLine(text: string, offset: number): number {
  return text.slice(0, offset).replace(/\r?\n[ \t]*$/, "").length;
}
