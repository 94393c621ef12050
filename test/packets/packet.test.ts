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
