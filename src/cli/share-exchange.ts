import { listConfig } from "../git/remote-config.js";
import { type Context, withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Pulled } from "../sharing/pull.js";
import type { Pushed } from "../sharing/push.js";
import { requireSharing } from "../sharing/settings.js";
import { openTransport, type Transport } from "../sharing/transport.js";
import { isAttended } from "./ask.js";
import type { Invocation } from "./command.js";
import { count, printable } from "./output.js";
import { leftOutLine } from "./share-left-out.js";

const SCHEMA = "ua-hooks.share/1";

/** The code of each direction is loaded when it is needed, while git works. */
const pullDescriptions = async (context: Context, transport: Promise<Transport>) =>
  (await import("../sharing/pull.js")).pullDescriptions(context, transport);
const pushDescriptions = async (context: Context, transport: Promise<Transport>) =>
  (await import("../sharing/push.js")).pushDescriptions(context, transport);

async function withTransport<T>(
  cwd: string,
  work: (context: Context, transport: Promise<Transport>) => Promise<T>,
): Promise<T> {
  const project = await projectAt(cwd);
  const config = listConfig(project.worktree.path); // while the database is opened
  config.catch(() => {}); // thrown where it is used, if it is
  return withContext(project, async (context) => {
    const sharing = requireSharing(await context.database());
    const opening = openTransport(project, { sharing, isAttended: isAttended(), config });
    opening.catch(() => {}); // as above
    return work(context, opening);
  });
}

export async function pull({ cwd, out }: Invocation): Promise<number> {
  const pulled = await withTransport(cwd, pullDescriptions);
  out.result({ schema: SCHEMA, pulled }, pulledLines(pulled));
  return 0;
}

export async function push(invocation: Invocation): Promise<number> {
  const { cwd, flags, out } = invocation;
  if (flags["dry-run"] === true) return dryRun(invocation);
  const pushed = await withTransport(cwd, pushDescriptions);
  out.result({ schema: SCHEMA, pushed }, pushedLines(pushed));
  return 0;
}

/** Both at a time: they use different refs. What one of them did stands if the other fails. */
export async function sync({ cwd, out }: Invocation): Promise<number> {
  const [pulled, pushed] = await withTransport(cwd, async (context, transport) => {
    const both = [pullDescriptions(context, transport), pushDescriptions(context, transport)] as const;
    await Promise.allSettled(both); // the database stays open for both
    return Promise.all(both);
  });
  out.result({ schema: SCHEMA, pulled, pushed }, [...pulledLines(pulled), ...pushedLines(pushed)]);
  return 0;
}

async function dryRun({ cwd, out }: Invocation): Promise<number> {
  const project = await projectAt(cwd);
  return withContext(project, async (context) => {
    const { remote } = requireSharing(await context.database());
    const { outgoing } = await import("../sharing/outgoing.js");
    const { ready, held } = await outgoing(context, remote);
    const texts = ready.map(({ description: { key, text } }) => ({ ...placeOf(key), text: sharedFields(text) }));
    out.result({ schema: SCHEMA, wouldSend: texts, held: [...held] }, [
      ...texts.map(({ type, path, name, text: { summary } }) => {
        const place = name === "" || name.includes(":") ? path : `${path} ${name}`;
        return `${type} ${printable(place)}: ${printable(String(summary))}`;
      }),
      `${count(texts.length, "description")} would be sent to ${printable(remote)}.`,
      ...heldLines([...held]),
    ]);
    return 0;
  });
}

const sharedFields = ({ summary, tags, complexity }: Readonly<Record<string, unknown>>) => ({
  summary,
  tags,
  complexity,
});

const placeOf = ({ type, path, name }: { type: string; path: string; name: string }) => ({ type, path, name });

function pulledLines({ trust, taken, unsigned, unreadable, leftOut, settled }: Pulled): string[] {
  if (trust === "none")
    return ["Nothing is taken in: trust is none. `ua-hooks share on --trust pushers` (or signers) changes that."];
  const lines = taken.map(({ author, added, refused }) => {
    const rest = refused === 0 ? "" : `, ${refused} refused`;
    return `${count(added, "description")} from ${author}${rest}`;
  });
  return [
    ...(lines.length === 0 ? ["Nothing new from others."] : lines),
    ...unsigned.map(
      (author) => `Nothing is taken from ${author}: its newest commit is not signed by a key listed for it.`,
    ),
    ...unreadable.map(
      (author) => `The ref of ${author} could not be read; \`ua-hooks share forget ${author}\` leaves it out.`,
    ),
    ...leftOut.map((one) => `Left out: ${leftOutLine(one)}.`),
    ...(settled.files === 0
      ? []
      : [`${count(settled.files, "file")} no longer pending: about ${count(settled.tokens, "token")} saved.`]),
  ];
}

function pushedLines({ added, author, held, state, reason }: Pushed): string[] {
  if (state === "paused") return [`Nothing is sent: sharing is paused, ${printable(reason ?? "")}.`];
  if (state === "later") return [`${count(added, "description")} added to ${author}; not sent yet: ${reason ?? ""}.`];
  return [
    added === 0 ? "Nothing new to send." : `${count(added, "description")} sent as ${author}.`,
    ...heldLines(held),
  ];
}

const heldLines = (held: readonly [why: string, count: number][]) =>
  held.map(([why, number]) => `${count(number, "description")} not sent: ${printable(why)}.`);
