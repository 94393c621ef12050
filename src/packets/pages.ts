import type { Packet, PacketSymbol } from "./packet.js";

/** Of one answer. */
export const PAGE_BYTES = 200 * 1024;
/** Of one question, where an agent gets them one after the other. */
export const BATCH_BYTES = 50 * 1024;

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Packets in the order of their files, as many on a page as it has room for; at least one page. */
export function pagesOf(packets: readonly Packet[], most = PAGE_BYTES): Packet[][] {
  const pages: Packet[][] = [];
  let left = 0;
  for (const packet of packets.map((one) => fitted(one, most))) {
    const size = bytes(packet);
    if (pages.length === 0 || size > left) {
      pages.push([]);
      left = most;
    }
    pages.at(-1)?.push(packet);
    left -= size;
  }
  return pages.length === 0 ? [[]] : pages;
}

/** A packet that no page has room for: its texts are cut, and say so. */
function fitted(packet: Packet, most: number): Packet {
  if (bytes(packet) <= most) return packet;
  const { symbols, code, describeFile, ...shared } = packet;
  // Names and line numbers of thousands of symbols are what they are; the texts share the rest.
  const texts = 1 + symbols.length + (code === undefined ? 0 : symbols.length + 1);
  const room = Math.max(most - bytes({ ...shared, symbols: symbols.map(withoutText) }), most / 4) / texts;
  const file = describeFile === null ? null : { ...describeFile };
  if (file?.diff !== undefined) file.diff = cut(file.diff, room);
  return {
    ...shared,
    symbols: symbols.map((one) => ({ ...one, ...textsOf(one, room) })),
    describeFile: file,
    ...(code === undefined ? {} : { code: cut(code, room * (symbols.length + 1)) }),
  };
}

const withoutText = ({ code: _code, diff: _diff, ...one }: PacketSymbol) => one;

function textsOf({ code, diff }: PacketSymbol, room: number): Pick<PacketSymbol, "code" | "diff"> {
  return {
    ...(code === undefined ? {} : { code: cut(code, room) }),
    ...(diff === undefined ? {} : { diff: cut(diff, room) }),
  };
}

/** A character is at most six bytes as JSON. */
function cut(text: string, most: number): string {
  if (bytes(text) <= most) return text;
  return `${text.slice(0, Math.floor(most / 6))}\n@@ the rest is too long for an answer: read the file @@`;
}
