import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { FileText } from "../../src/packets/file-text.js";
import { buildPacket, type Packet, withoutCode } from "../../src/packets/packet.js";
import { PAGE_BYTES, pagesOf } from "../../src/packets/pages.js";
import { type Asked, askedFiles } from "../../src/verification/asked.js";
import { compareFacts } from "../../src/verification/file-symbols.js";

const PATH = "src/a.ts";

/** The packet of a file of which nothing is described at its new content. */
async function packetOf(before: string | null, after: string, path = PATH): Promise<Packet> {
  const read = async (text: string) => ({ ...(await fingerprintText(path, Buffer.from(text))), blobOid: text });
  const now = await read(after);
  const then = before === null ? null : await read(before);
  const whole: Asked = { isWhole: true, symbols: [], aging: [] };
  const verdict = then === null ? null : { ...compareFacts(then, now), oid: after, analysedOid: before };
  const asked = verdict === null ? whole : askedFiles([verdict], "structural", () => false).get(path);
  assert.ok(asked !== undefined);
  return buildPacket({
    ...{ path, language: "typescript", asked, gone: [], others: [] },
    before: before === null || then === null ? null : new FileText(path, before, then),
    after: new FileText(path, after, now),
    previousOf: () => undefined,
  });
}

const body = (lines: number) => "  x = (x * 31 + 7) % 1009;\n".repeat(lines);
const fn = (name: string, { params = "x: number", lines = 9, end = "return x;" } = {}) =>
  `export function ${name}(${params}) {\n${body(lines)}  ${end}\n}\n`;
const many = (count: number, changed: number, lines = 9) =>
  Array.from({ length: count }, (_, at) => fn(`f${at}`, { lines, ...(at === changed ? { params: "y: string" } : {}) }));
const symbolOf = ({ symbols }: Packet, name: string) => symbols.find(({ id }) => id.endsWith(`:${name}`));

test("the outline has the heads nearest to the change, at most 40 of them and no more text than the rest", async () => {
  const { outline } = await packetOf(many(90, -1, 112).join(""), many(90, 45, 112).join(""));
  assert.equal(outline.length, 40);
  assert.deepEqual(
    [outline[0], outline.at(-1)],
    ["export function f25(x: number) {", "export function f65(x: number) {"],
  );
  const short = await packetOf(many(90, -1, 20).join(""), many(90, 45, 20).join(""));
  assert.ok(short.outline.length > 5 && short.outline.length < 40);
  assert.ok(short.outline.includes("export function f44(x: number) {"));
});

test("a packet is no longer than the file but for the ids: where its parts would be, it has the file", async () => {
  const text = many(3, -1, 1).join("");
  const { code, outline, symbols } = await packetOf(text, text.replaceAll("x: number", "x: string"));
  assert.equal(code, text.replaceAll("x: number", "x: string"));
  assert.deepEqual(outline, []);
  assert.ok(symbols.every((one) => one.diff === undefined && one.code === undefined));
});

test("a changed symbol is one diff with its whole text, a new one its code, and one in another symbol is not repeated", async () => {
  const before = many(9, -1).join("");
  const added = `${fn("added")}export class Made {\n  run(x: number) {\n${body(9)}    return x;\n  }\n}\n`;
  const packet = await packetOf(before, `${many(9, 4).join("")}${added}`);
  assert.equal(symbolOf(packet, "f4")?.diff?.split("\n").length, 13, "12 lines, one of them before and after");
  assert.equal(symbolOf(packet, "added")?.code, fn("added").trimEnd());
  assert.match(
    symbolOf(packet, "Made")?.code ?? "",
    /^export class Made \{\n {2}run\(x: number\) \{\n@@ 11 lines omitted @@\n\}$/,
  );
  assert.match(symbolOf(packet, "Made.run")?.code ?? "", /^ {2}run\(x: number\)/);
});

test("other line ends are no difference", async () => {
  const [before, after] = [many(9, -1).join(""), many(9, 4).join("").replaceAll("\n", "\r\n")];
  const packet = await packetOf(before, after);
  const diff = symbolOf(packet, "f4")?.diff ?? "";
  assert.deepEqual(
    diff.split("\n").filter((line) => !line.startsWith(" ")),
    ["-export function f4(x: number) {", "+export function f4(y: string) {"],
  );
  assert.doesNotMatch(JSON.stringify(packet), /\\r/);
});

test("code outside of functions is given by whole statements; of a very long one its first line and what is near", async () => {
  const rest = many(40, -1).join("");
  const table = (count: number, changed: number) =>
    `export const table = {\n${Array.from({ length: count }, (_, at) => `  key${at}: ${at === changed ? "-1" : at},\n`).join("")}};\n`;
  const one = (value: number) => `export const most = ${value};\n\n`;
  const packet = await packetOf(
    `${one(1)}${table(9, -1)}${rest}`,
    `${one(1)}export const least = 0;\n${table(9, 5)}${rest}`,
  );
  const lines = packet.describeFile?.diff?.split("\n") ?? [];
  assert.deepEqual([lines[0], lines[1], lines.at(-1)], ["+export const least = 0;", " export const table = {", " };"]);
  assert.ok(lines.includes("-  key5: 5,") && lines.includes("+  key5: -1,"));
  const long = await packetOf(`${table(400, -1)}${rest}`, `export const least = 0;\n\n${table(400, 200)}${rest}`);
  const shown = long.describeFile?.diff?.split("\n") ?? [];
  assert.ok(shown.includes(" export const table = {"), shown.join("\n"));
  assert.ok(shown.includes("+  key200: -1,") && shown.some((line) => /lines omitted/.test(line)));
  assert.ok(shown.length < 100);
});

test("what may have become false goes along, behaviour first, with no more text than what is asked", async () => {
  const throwing = { end: 'if (x < 0) throw new Error("negative");\n  return x;' };
  const aged = (name: string, change: object) => [fn(name), fn(name, change)] as const;
  const pairs = [
    aged("plain", { end: "return x + 1;" }),
    ...["one", "two", "three", "four"].map((name) => aged(name, throwing)),
    ...Array.from({ length: 20 }, (_, at) => aged(`rest${at}`, {})),
  ];
  const [before, after] = [0, 1].map((at) => pairs.map((pair) => pair[at]).join(""));
  const packet = await packetOf(
    `${fn("asked", { lines: 40 })}${before}`,
    `${fn("asked", { lines: 40, params: "y: string" })}${after}`,
  );
  const aging = packet.symbols.filter((one) => one.aging === true);
  const asked = packet.symbols.filter((one) => one.aging !== true);
  assert.deepEqual(aging[0]?.change, "behaviour");
  assert.ok(aging.length > 0 && aging.length < 5, `${aging.length}`);
  assert.ok(JSON.stringify(aging).length <= JSON.stringify({ ...packet, symbols: asked }).length);
});

test("every packet is on one page, no page is longer than its limit, and what is cut says so", async () => {
  const packets = await Promise.all(
    [10, 3000, 400, 9000, 1].map((count) => packetOf(null, fn("f", { lines: count }), `src/f${count}.ts`)),
  );
  const pages = pagesOf(packets);
  assert.deepEqual(
    pages.flat().map(({ path }) => path),
    packets.map(({ path }) => path),
  );
  for (const page of pages) assert.ok(Buffer.byteLength(JSON.stringify(page)) <= PAGE_BYTES + 100);
  const cut = pages.flat().find(({ path }) => path === "src/f9000.ts");
  assert.match(cut?.code ?? "", /@@ the rest is too long for an answer: read the file @@$/);
  for (const packet of packets) assert.doesNotMatch(JSON.stringify(withoutCode(packet)), /1009/);
});

const CLASS_PATH = "src/Box.java";
const javaClass = (inside: string) =>
  `package box;\n\npublic class Box {\n  /**\n   * What it holds.\n   */\n${inside}}\n`;
const method = (head: string, lines = 20) =>
  `  ${head} {\n${"    count = (count * 31 + 7) % 1009;\n".repeat(lines)}  }\n\n`;

test("overloads are given each for itself, with nothing of what stands between them", async () => {
  const between = method("int between()");
  const text = (first: string) =>
    javaClass(
      `${method(`void add(${first} one)`)}  int most = 1;\n\n${between}${between.replace("between", "other")}${method("void add(int one, int two)")}`,
    );
  const packet = await packetOf(text("int"), text("long"), CLASS_PATH);
  const { diff = "" } = symbolOf(packet, "Box.add") ?? {};
  assert.match(diff, /-\s+void add\(int one\) \{\n\+\s+void add\(long one\)/);
  assert.match(diff, /\n @@ lines omitted @@\n\s+void add\(int one, int two\) \{/);
  assert.doesNotMatch(diff, /between|other|most/);
  assert.ok(JSON.stringify(packet).length < text("int").length);
});

test("what stands between the declarations of one name is in the packet of its class, and of its file", async () => {
  const inClass = (most: string) =>
    javaClass(`${method("void add(int one)")}  ${most} most = 1;\n\n${method("void add(int one, int two)")}`);
  const ofClass = symbolOf(await packetOf(inClass("int"), inClass("long"), CLASS_PATH), "Box")?.diff ?? "";
  assert.match(ofClass, /-\s+int most = 1;\n\+\s+long most = 1;/);
  assert.doesNotMatch(ofClass, /1009/);
  const prototype = "static int first(int a);\n";
  const body = `static int first(int a) {\n${"  a = (a * 31 + 7) % 1009;\n".repeat(30)}  return a;\n}\n`;
  const rest = body.replaceAll("first", "last");
  const inFile = (most: number) =>
    `${prototype}int table[] = {${most}};\n\nint second(void) {\n  return 2;\n}\n\n${body}${rest}`;
  const module = await packetOf(inFile(1), `${inFile(2)}int third;\n`, "src/a.c");
  assert.match(module.describeFile?.diff ?? "", /-int table\[\] = \{1\};\n\+int table\[\] = \{2\};/);
  const changed = `${inFile(1).replaceAll("int first(int a)", "int first(long a)")}`;
  const first = symbolOf(await packetOf(inFile(1), changed, "src/a.c"), "first")?.diff ?? "";
  assert.match(first, /\+static int first\(long a\);\n @@ lines omitted @@\n-static int first\(int a\) \{/);
});

test("of a class comments are left out, and nothing that only looks like one", async () => {
  const code = "  long size = 2\n      * 3\n      /* of three */ * 4;\n  // a note\n\n";
  const java = (type: string) => javaClass(code.replace("long", type) + method("void run(int one)"));
  const diff = symbolOf(await packetOf(java("long"), java("int"), CLASS_PATH), "Box")?.diff ?? "";
  assert.match(diff, /\n +\* 3\n +\/\* of three \*\/ \* 4;/);
  assert.doesNotMatch(diff, /What it holds|a note/);
  const heading = (last: string) =>
    `# Title\n\n## Steps\n\n* one\n* ${last}\n\n## Others\n\n${"Words.\n\n".repeat(90)}`;
  const { symbols } = await packetOf(heading("two"), heading("three").replace("## Steps", "## Steps now"), "docs/a.md");
  assert.match(symbols.find(({ id }) => id.endsWith("Steps now"))?.code ?? "", /^## Steps now\n\n\* one\n\* three/);
  const text = (value: string) =>
    `class Texts {\n  static final String ONE = """\n      // ${value}\n      """;\n\n${method("void run(int one)", 60)}}\n`;
  const hidden = await packetOf(
    text("one"),
    text("one").replace('"""\n      // one', '"""\n      // two').replace("static final", "static"),
    "src/Texts.java",
  );
  assert.match(symbolOf(hidden, "Texts")?.diff ?? "", /static String ONE/);
});

test("a class of which only members changed is not said to be aging", async () => {
  const java = (head: string, lines: number) =>
    javaClass(`  int most = 1;\n\n${method(head, lines)}${method("int rest()", 30)}`);
  const packet = await packetOf(java("int run(int one)", 20), java("int run(int one, int two)", 22), CLASS_PATH);
  assert.equal(symbolOf(packet, "Box.run")?.change, "interface");
  for (const { diff } of packet.symbols) assert.doesNotMatch(diff ?? "", /^[-+]@@/m);
});

test("a file is given whole only where that is less to read, ids and all", async () => {
  const small = (params: string) => `${many(4, -1, 2).join("")}${fn("last", { lines: 2, params })}`;
  const path = "packages/some/deep/folder/with/a/long/name/src/commonMain/kotlin/small.ts";
  const packet = await packetOf(small("x: number"), small("y: number"), path);
  assert.equal(packet.code, undefined);
  assert.match(symbolOf(packet, "last")?.diff ?? "", /\+export function last\(y: number\)/);
});
