import { printable } from "../printable.js";
import { GraphError } from "./errors.js";
import { asObject, type JsonObject } from "./resolve/jsonc.js";

/** The required shape of each part of a graph, and messages that name what does not match. */

export interface ShapeCheck {
  test: (value: unknown) => boolean;
  wanted: string;
}
export const isString: ShapeCheck = { test: (value) => typeof value === "string", wanted: "a string" };
const isNumber: ShapeCheck = { test: (value) => typeof value === "number", wanted: "a number" };
export const isStrings: ShapeCheck = {
  test: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  wanted: "a list of strings",
};
const isRange: ShapeCheck = {
  test: (value) => Array.isArray(value) && value.length === 2 && value.every((line) => typeof line === "number"),
  wanted: "two line numbers",
};

/** The fields of one kind of entry. `names` identify the entry in messages. */
export interface Shape {
  kind: string;
  names: readonly string[];
  required: readonly [field: string, check: ShapeCheck][];
  optional: readonly [field: string, check: ShapeCheck][];
}

export const shapes = {
  project: {
    kind: "The graph's project",
    names: [],
    required: [],
    optional: [
      ["gitCommitHash", isString],
      ["analyzedAt", isString],
      ["name", isString],
    ],
  },
  node: {
    kind: "Node",
    names: ["id"],
    required: [
      ["id", { test: (id) => typeof id === "string" && id !== "", wanted: "a name" }],
      ["type", isString],
    ],
    optional: [
      ["name", isString],
      ["filePath", isString],
      ["lineRange", isRange],
      ["summary", isString],
      ["tags", isStrings],
    ],
  },
  edge: {
    kind: "Edge",
    names: ["source", "target"],
    required: [
      ["source", isString],
      ["target", isString],
      ["type", isString],
    ],
    optional: [
      ["direction", isString],
      ["description", isString],
      ["weight", isNumber],
    ],
  },
  layer: {
    kind: "Layer",
    names: ["id"],
    required: [
      ["id", isString],
      ["nodeIds", isStrings],
    ],
    optional: [
      ["name", isString],
      ["description", isString],
    ],
  },
  step: {
    kind: "Tour step",
    names: ["title"],
    required: [],
    optional: [
      ["order", isNumber],
      ["title", isString],
      ["description", isString],
      ["nodeIds", isStrings],
    ],
  },
} satisfies Record<string, Shape>;

export function checkAll(list: readonly unknown[], shape: Shape): void {
  for (const [position, value] of list.entries()) checkEntry(value, shape, position);
}

export function checkEntry(value: unknown, shape: Shape, position?: number): void {
  const entry = asObject(value);
  const where = () => nameOf(shape, position, entry);
  if (entry === undefined) throw wrong(`${where()} is ${describe(value)}, not an object.`);
  for (const [field, { test, wanted }] of shape.required) {
    const found = entry[field];
    if (test(found)) continue;
    throw wrong(
      found === undefined
        ? `${where()} has no "${field}".`
        : `${where()}: "${field}" is ${describe(found)}, not ${wanted}.`,
    );
  }
  for (const [field, { test, wanted }] of shape.optional) {
    const found = entry[field];
    // Models write null for a field that they leave out.
    if (found === undefined || found === null || test(found)) continue;
    throw wrong(`${where()}: "${field}" is ${describe(found)}, not ${wanted}.`);
  }
}

function nameOf({ kind, names }: Shape, position: number | undefined, entry: JsonObject | undefined): string {
  const known = names.map((name) => entry?.[name]).filter((name) => typeof name === "string" && name !== "");
  const which = position === undefined ? kind : `${kind} ${position}`;
  return known.length === 0 ? which : `${which} (${known.map((name) => shortName(String(name))).join(" → ")})`;
}

/** Names in a graph are anyone's text: as much of one as tells which it is. */
function shortName(name: string): string {
  return printable(name.length > MOST_NAME ? `${name.slice(0, MOST_NAME)}…` : name);
}

const MOST_NAME = 80;

export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return value === "" ? "empty" : `a ${typeof value}`;
}

export function wrong(message: string): GraphError {
  return new GraphError("wrong-shape", message);
}
