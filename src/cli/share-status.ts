import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { type SharingReport, sharingReport, waitingToBeSent } from "../sharing/status.js";
import { listAuthors, openTransport } from "../sharing/transport.js";
import { isAttended } from "./ask.js";
import type { Invocation } from "./command.js";
import { count, facts, moment, printable } from "./output.js";
import { leftOutLine } from "./share-left-out.js";

export async function shareStatus({ cwd, flags, out }: Invocation): Promise<number> {
  const project = await projectAt(cwd);
  return withContext(project, async (context) => {
    const report = sharingReport(await context.database());
    const { sharing } = report;
    const waiting = sharing === null ? null : await waitingToBeSent(context, sharing);
    const remote =
      flags.remote === undefined || sharing === null
        ? null
        : await listAuthors(await openTransport(project, { sharing, isAttended: isAttended() }));
    const onRemote = remote === null ? {} : { onRemote: Object.fromEntries(remote) };
    out.result({ schema: "ua-hooks.share/1", ...report, waiting, ...onRemote }, [
      ...facts([...reportRows(report), ...waitingRows(waiting), ...remoteRows(remote, sharing?.author)]),
    ]);
    return 0;
  });
}

function reportRows(report: SharingReport): string[][] {
  const { sharing, paused, pulledAt, pushedAt, authors, forgotten, leftOut, savings } = report;
  const state =
    sharing === null ? "off" : `${printable(sharing.remote)}, trust ${sharing.trust}, author ${sharing.author}`;
  return [
    ["Sharing", state],
    ...(paused === null ? [] : [["Paused", `${printable(paused)}; \`ua-hooks share on\` tries again`]]),
    ["Pulled", pulledAt === null ? "never" : moment(pulledAt)],
    ["Pushed", pushedAt === null ? "never" : moment(pushedAt)],
    ...authors.slice(0, 20).map(({ author, descriptions }, at) => {
      const saved = savings.find((one) => one.author === author);
      const tokens =
        saved === undefined ? "" : `, ${count(saved.files, "file")} not asked about: ${saved.tokens} tokens`;
      return [at === 0 ? "Authors" : "", `${author}: ${count(descriptions, "description")}${tokens}`];
    }),
    ...(authors.length > 20 ? [["", `… and ${authors.length - 20} more`]] : []),
    ...leftOut.map((one, at) => [at === 0 ? "Left out" : "", leftOutLine(one)]),
    ...(forgotten.length === 0 ? [] : [["Forgotten", forgotten.join(", ")]]),
  ];
}

function waitingRows(waiting: Awaited<ReturnType<typeof waitingToBeSent>> | null): string[][] {
  if (waiting === null) return [];
  const held = waiting.held.map(([why, number]) => ["", `${number} stay here: ${printable(why)}`]);
  return [["To send", count(waiting.ready, "description")], ...held];
}

function remoteRows(remote: ReadonlyMap<string, string> | null, own: string | undefined): string[][] {
  if (remote === null) return [];
  const names = [...remote.keys()].slice(0, 50).map((author) => (author === own ? `${author} (this clone)` : author));
  return [["On the remote", `${count(remote.size, "author")}${names.length === 0 ? "" : `: ${names.join(", ")}`}`]];
}
