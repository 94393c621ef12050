import { UaError } from "../errors.js";
import type { Marker } from "../marker/marker.js";
import { withoutCode } from "../packets/packet.js";
import { visible } from "../printable.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { claimUpdate } from "../updates/update.js";
import type { PacketPage } from "../verification/packets.js";
import type { Command, Flags } from "./command.js";
import { currentHolder } from "./holder.js";
import { count, facts, moment, type Out, printable } from "./output.js";
import { actionLabel, changeLines } from "./verdict-lines.js";

export const claim: Command = {
  summary: "take a lease on the pending update",
  busy: "preparing the packets",
  usage: "[--full | --undescribed] [--holder NAME] [--lease ID] [--page N] [--no-code]",
  example: "ua-hooks claim --holder reviewer --json",
  options: {
    ...{ full: { type: "boolean" }, holder: { type: "string" }, lease: { type: "string" } },
    ...{ page: { type: "string" }, "no-code": { type: "boolean" }, undescribed: { type: "boolean" } },
  },
  help: {
    "--full": "also a FULL_UPDATE, which never starts automatically",
    "--undescribed": "instead of what is pending: the most used symbols without a description; needs no lease",
    "--holder NAME": "name of the holder, shown to others",
    "--lease ID": "extend your own lease",
    "--page N": "with --lease: the next packets, where one answer has no room for all (--json)",
    "--no-code": "packets without code, for those who read the files themselves (--json)",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    if (flags.undescribed === true) return claimUndescribed(project, flags, out);
    const holder = typeof flags.holder === "string" ? flags.holder : currentHolder();
    const renew = typeof flags.lease === "string" ? flags.lease : null;
    const page = pageOf(flags.page, renew);
    const claimed = await withContext(project, (context) =>
      claimUpdate(context, { holder, full: flags.full === true, renew, ...(out.json ? { page } : {}) }),
    );
    if (claimed === null) {
      out.result({ schema: "ua-hooks.pending/1", state: "none" }, ["Nothing is pending."]);
      return 0;
    }
    const { marker, packets } = claimed;
    out.result({ ...marker, ...(packets === null ? {} : shown(packets, { isBrief: flags["no-code"] === true })) }, [
      ...facts([
        ["Lease", `${marker.lease?.id}, until ${moment(marker.lease?.expiresAt ?? "")}`],
        ["Update", `${actionLabel(marker.action)}: ${printable(marker.reason)}`],
      ]),
      ...changeLines(marker.fileChanges),
      ...leaseLines(marker),
    ]);
    return 0;
  },
};

async function claimUndescribed(project: Project, flags: Flags, out: Out): Promise<number> {
  for (const other of ["full", "lease", "page"])
    if (flags[other] !== undefined) throw new UaError("usage", `--undescribed does not go with --${other}`);
  const { askUndescribed } = await import("../updates/undescribed.js");
  const { packets, symbols, left } = await withContext(project, askUndescribed);
  const isBrief = flags["no-code"] === true;
  const ids = symbols.map(({ symbol }) => symbol.id);
  const document = { ids, left, packets: isBrief ? packets.map(withoutCode) : packets };
  out.result({ schema: "ua-hooks.undescribed/1", ...document }, [
    left === 0
      ? "Every symbol has a description."
      : `${count(left, "symbol")} without a description, the most used first.`,
    ...(left === 0 ? [] : answerLines(ids, left, { code: "claim --undescribed", answer: "apply --undescribed" })),
  ]);
  return 0;
}

/** What to do next by hand; an agent reads the JSON. */
function leaseLines({ fileChanges, lease }: Marker): string[] {
  const files = fileChanges.filter(({ drift }) => drift !== "gone");
  if (files.length === 0) return ["", "No file is left to describe: `ua-hooks ack` takes the deletion over."];
  const ids = files.flatMap(({ filePath, symbols }) => symbols?.map(({ id }) => id) ?? [`file:${filePath}`]);
  const more = files.reduce((sum, { moreSymbols = 0 }) => sum + moreSymbols, 0);
  const isWhole = files.some(({ symbols }) => symbols === undefined);
  return [
    ...answerLines(ids, ids.length + more, { code: `claim --lease ${lease?.id}`, answer: "apply" }),
    ...(isWhole
      ? ["New files: each of their functions and classes too, by the ids that are printed with their code."]
      : []),
  ];
}

const MOST_IDS = 8;

function answerLines(
  ids: readonly string[],
  total: number,
  { code, answer }: { code: string; answer: string },
): string[] {
  const shown = ids.slice(0, MOST_IDS).map((id) => `  ${visible(JSON.stringify(id))}: { "summary": "…" }`);
  return [
    "",
    `\`ua-hooks ${code} --json\` prints their code. Then write an answer.json, by these ids:`,
    '{ "descriptions": {',
    shown.join(",\n"),
    "} }",
    ...(total > shown.length ? [`… and ${total - shown.length} more`] : []),
    `and deliver it, whole or in parts: \`ua-hooks ${answer} answer.json\``,
  ];
}

function pageOf(given: unknown, lease: string | null): number {
  const page = given === undefined ? 1 : Number(given);
  if (!Number.isInteger(page) || page < 1) throw new UaError("usage", "--page must be a whole number above 0");
  if (page > 1 && lease === null)
    throw new UaError("usage", "--page needs the lease of the first page", "use --lease ID");
  return page;
}

function shown({ packets, page, pages }: PacketPage, { isBrief }: { isBrief: boolean }) {
  return { packets: isBrief ? packets.map(withoutCode) : packets, page, pages };
}
