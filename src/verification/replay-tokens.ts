import { languageOf } from "../fingerprint/languages.js";
import { readBlobs } from "../git/blobs.js";
import type { Facts } from "../knowledge/facts.js";
import { FileText } from "../packets/file-text.js";
import { buildPacket, packetTokens, tokensOf } from "../packets/packet.js";
import type { RefreshPolicy } from "../repository/config.js";
import { type Asked, askedFiles, isAsked } from "./asked.js";
import type { PathVerdict } from "./verdicts.js";

/** What a model reads for one commit. */
export interface CommitTokens {
  /** By packets, for the values of the config's `refresh` that were measured. */
  packets: Partial<Record<RefreshPolicy, number>>;
  /** The whole files that changed in structure. */
  structuralFiles: number;
  /** The whole files that changed. */
  changedFiles: number;
}

/** The contents of changed files, as far as packets are made of them. */
export type BlobTexts = ReadonlyMap<string, Buffer>;

export async function readTexts(cwd: string, changes: readonly PathVerdict[]): Promise<BlobTexts> {
  const oids = changes.flatMap(({ oid, analysedOid }) => [oid, analysedOid].filter((one) => one !== null));
  return readBlobs(cwd, oids);
}

/** Measured on the packets that would have been made, if everything before the commit had been described. */
export function commitTokens(
  changes: readonly PathVerdict[],
  texts: BlobTexts,
  facts: Pick<Facts, "known">,
  policies: readonly RefreshPolicy[],
): CommitTokens {
  const there = changes.filter(({ oid }) => oid !== null);
  const whole = (files: readonly PathVerdict[]) =>
    files.reduce((total, { oid }) => total + tokensOf(texts.get(oid ?? "")?.length ?? 0), 0);
  const packets: CommitTokens["packets"] = {};
  for (const policy of policies) {
    const asked = askedFiles(there, policy, () => false);
    const each = there.map((verdict) => fileTokens(verdict, asked.get(verdict.filePath), texts, facts));
    packets[policy] = each.reduce((total, one) => total + one, 0);
  }
  const structural = there.filter(({ changeLevel }) => changeLevel === "STRUCTURAL");
  return { packets, structuralFiles: whole(structural), changedFiles: whole(there) };
}

function fileTokens(
  { filePath: path, oid, analysedOid, symbols = [] }: PathVerdict,
  asked: Asked | undefined,
  texts: BlobTexts,
  facts: Pick<Facts, "known">,
): number {
  if (asked === undefined || !isAsked(asked)) return 0;
  const textOf = (one: string | null) => {
    const text = one === null ? undefined : texts.get(one)?.toString("utf8");
    if (one === null || text === undefined) return null;
    return new FileText(path, text, facts.known({ path, oid: one }) ?? undefined);
  };
  const after = textOf(oid);
  if (after === null) return 0;
  const packet = buildPacket({
    ...{ path, language: languageOf(path)?.name ?? null, asked, after },
    before: asked.isWhole ? null : textOf(analysedOid),
    gone: symbols.filter(({ change }) => change === "gone").map(({ name }) => name),
    previousOf: () => undefined,
    others: [],
  });
  return packetTokens(packet);
}
