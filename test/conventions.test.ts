import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "web-tree-sitter";
import { filesOf, lineOf, sourceText, visitNodes } from "./support/sources.js";

const [FILE_LINES, FUNCTION_LINES, PARAMETERS] = [300, 50, 5];
const FUNCTIONS = new Set([
  ...["function_declaration", "generator_function_declaration", "method_definition"],
  ...["arrow_function", "function_expression", "generator_function"],
]);
const TYPES = new Set([
  ...["interface_declaration", "type_alias_declaration", "enum_declaration"],
  ...["class_declaration", "abstract_class_declaration"],
]);

const isCode = (file: string) => /\.(ts|mjs)$/.test(file);
const SRC = filesOf("src").filter(isCode);
const CODE = [...SRC, ...["bench", "scripts"].flatMap(filesOf).filter(isCode)];

const nameOf = (node: Node) =>
  node.childForFieldName("name")?.text ?? node.parent?.childForFieldName("name")?.text ?? "a function without a name";

/** A reason is a comment that begins with "Long:", in the function or at the top of the file. */
const hasReason = (text: string) => /(?:\/\/|\*) Long: \w/.test(text);

test("no file has more than 300 lines, unless it gives a reason", () => {
  const isLong = (text: string) => text.split("\n").length - 1 > FILE_LINES && !hasReason(text.slice(0, 1000));
  assert.deepEqual(
    CODE.filter((file) => isLong(sourceText(file))),
    [],
  );
});

test("no function has more than 50 lines, unless it gives a reason", async () => {
  const long: string[] = [];
  await visitNodes(CODE, (node, file) => {
    const lines = node.endPosition.row - node.startPosition.row + 1;
    if (FUNCTIONS.has(node.type) && lines > FUNCTION_LINES && !hasReason(node.text))
      long.push(`${file}:${lineOf(node)} ${nameOf(node)}: ${lines} lines`);
  });
  assert.deepEqual(long, []);
});

test("no function or function type has more than five parameters", async () => {
  const long: string[] = [];
  await visitNodes(CODE, (node, file) => {
    const parameters = node.childForFieldName("parameters")?.namedChildren ?? [];
    const count = parameters.filter((child) => child !== null && child.type !== "comment").length;
    if (count > PARAMETERS) long.push(`${file}:${lineOf(node)} ${nameOf(node)}: ${count} parameters`);
  });
  assert.deepEqual(long, []);
});

test("no two types in src have the same name", async () => {
  const places = new Map<string, string[]>();
  await visitNodes(SRC, (node, file) => {
    if (TYPES.has(node.type))
      places.set(nameOf(node), [...(places.get(nameOf(node)) ?? []), `${file}:${lineOf(node)}`]);
  });
  assert.ok(places.size > 100, "the grammar found the types");
  const shared = [...places].filter(([, at]) => at.length > 1).map(([name, at]) => `${name}: ${at.join(", ")}`);
  assert.deepEqual(shared.sort(), []);
});

test("no call takes a list of unknown length as its arguments: there is room for some 100,000", () => {
  const spread = /(?:\.push|\.unshift|\.concat|Math\.max|Math\.min|fromCharCode|fromCodePoint)\(\.\.\./;
  const found = CODE.filter((file) => file.startsWith("src/") && !file.startsWith("src/report/page/")).flatMap((file) =>
    sourceText(file)
      .split("\n")
      .flatMap((line, at) => (spread.test(line) ? [`${file}:${at + 1}`] : [])),
  );
  assert.deepEqual(found, []);
});

test("no error of ours is recognised by its class: each file of dist/ has a copy of it, and instanceof knows one", () => {
  const classes = SRC.flatMap((file) => [...sourceText(file).matchAll(/^export class (\w+) extends \w*Error\b/gm)]);
  const names = classes.map(([, name]) => name);
  assert.ok(names.includes("GitError") && names.includes("LockWanted"), "the classes were found");
  const byClass = new RegExp(`instanceof (?:${names.join("|")})\\b`);
  assert.deepEqual(
    SRC.filter((file) => byClass.test(sourceText(file))),
    [],
  );
});
