import { hostname, userInfo } from "node:os";
import { UaError } from "../errors.js";
import type { Marker } from "../marker/marker.js";
import { withoutCode } from "../packets/packet.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { visible } from "../store/files.js";
import { claimUpdate } from "../updates/update.js";
import type { PacketPage } from "../verification/packets.js";
import type { Command } from "./command.js";
import { facts, moment, printable } from "./output.js";
import { actionLabel, changeLines } from "./verdict-lines.js";

export const claim: Command = {
  summary: "take a lease on the pending update",
  usage: "[--full] [--holder NAME] [--lease ID] [--page N] [--no-code]",
  example: "ua-hooks claim --holder reviewer --json",
  options: {
    ...{ full: { type: "boolean" }, holder: { type: "string" }, lease: { type: "string" } },
    ...{ page: { type: "string" }, "no-code": { type: "boolean" } },
  },
  help: {
    "--full": "also a FULL_UPDATE, which never starts automatically",
    "--holder NAME": "name of the holder, shown to others",
    "--lease ID": "extend your own lease",
    "--page N": "with --lease: the next packets, where one answer has no room for all (--json)",
    "--no-code": "packets without code, for those who read the files themselves (--json)",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    const { holderFromEnv } = await import("../agents/conversation.js");
    const caller = holderFromEnv(process.env) ?? `${userInfo().username}@${hostname()}`;
    const holder = typeof flags.holder === "string" ? flags.holder : caller;
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
      ...answerLines(marker),
    ]);
    return 0;
  },
};

/** What to do next by hand; an agent reads the JSON. */
function answerLines({ fileChanges, lease }: Marker): string[] {
  const first = fileChanges.find(({ drift }) => drift !== "gone");
  if (first === undefined) return ["", "No file is left to describe: `ua-hooks ack` takes the deletion over."];
  const id = first.symbols?.[0]?.id ?? `file:${first.filePath}`;
  return [
    "",
    `\`ua-hooks claim --lease ${lease?.id} --json\` prints their code. Then write an answer.json, by these ids:`,
    `  { "descriptions": { ${visible(JSON.stringify(id))}: { "summary": "…" } } }`,
    "and deliver it: `ua-hooks apply answer.json`",
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
