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

/** What has parameters and no body. */
const isSignature = (type: string) => /_signature$|^(?:function|constructor)_type$/.test(type);
const isWanted = (type: string) => FUNCTIONS.has(type) || TYPES.has(type) || isSignature(type);

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

/** Of all files, by one parse of each. */
const nodes = readNodes();

async function readNodes() {
  const found = { long: [] as string[], wide: [] as string[], types: new Map<string, string[]>() };
  await visitNodes(CODE, isWanted, (node, file) => {
    const at = `${file}:${lineOf(node)}`;
    if (TYPES.has(node.type)) {
      if (file.startsWith("src/")) found.types.set(nameOf(node), [...(found.types.get(nameOf(node)) ?? []), at]);
      return;
    }
    const lines = node.endPosition.row - node.startPosition.row + 1;
    if (FUNCTIONS.has(node.type) && lines > FUNCTION_LINES && !hasReason(node.text))
      found.long.push(`${at} ${nameOf(node)}: ${lines} lines`);
    const parameters = node.childForFieldName("parameters")?.namedChildren ?? [];
    const count = parameters.filter((child) => child !== null && child.type !== "comment").length;
    if (count > PARAMETERS) found.wide.push(`${at} ${nameOf(node)}: ${count} parameters`);
  });
  return found;
}

test("no function has more than 50 lines, unless it gives a reason", async () => {
  assert.deepEqual((await nodes).long, []);
});

test("no function or function type has more than five parameters", async () => {
  assert.deepEqual((await nodes).wide, []);
});

test("no two types in src have the same name", async () => {
  const { types } = await nodes;
  assert.ok(types.size > 100, "the grammar found the types");
  const shared = [...types].filter(([, at]) => at.length > 1).map(([name, at]) => `${name}: ${at.join(", ")}`);
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

test("node:crypto and node:child_process take milliseconds to load: no module loads them before it uses them", () => {
  const early = /^import (?!type\b).*from "node:(?:crypto|child_process)"/m;
  assert.deepEqual(
    SRC.filter((file) => early.test(sourceText(file))),
    [],
  );
});
