import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { forgetAuthor, rememberAuthor } from "../sharing/forget.js";
import { readFormerSharing, requireSharing, type Sharing, TRUSTS, type Trust } from "../sharing/settings.js";
import { SIGNERS_FILE } from "../sharing/signing.js";
import { deleteOwn, plannedSharing, switchOff, switchOn } from "../sharing/switch.js";
import { openTransport } from "../sharing/transport.js";
import { ask, isAttended } from "./ask.js";
import type { Flags, Invocation } from "./command.js";
import { count, printable } from "./output.js";

const SCHEMA = "ua-hooks.share/1";

export async function on({ cwd, flags, positionals, out }: Invocation): Promise<number> {
  refuseMore(positionals);
  const project = await projectAt(cwd);
  return withContext(project, async (context) => {
    const given = { remote: textOf(flags.remote), trust: trustOf(flags), author: textOf(flags.author) };
    const sharing = await plannedSharing(context, given);
    for (const line of consequences(sharing)) out.note(line);
    if (flags.yes !== true && !(await ask("Switch sharing on in this clone?"))) {
      if (isAttended()) return 0;
      throw new UaError("usage", "sharing is not switched on without a question", "--yes answers it");
    }
    await switchOn(context, sharing);
    out.result({ schema: SCHEMA, state: "on", ...sharing }, [
      `Sharing is on in this clone: remote ${printable(sharing.remote)}, trust ${sharing.trust}, author ${sharing.author}.`,
      "`ua-hooks share sync` sends and fetches; nothing happens by itself.",
    ]);
    return 0;
  });
}

const TRUSTED: Record<Trust, string> = {
  none: "Taken in: nothing. --trust pushers or --trust signers takes in what others share.",
  pushers: "Taken in: what anyone who can push to it writes, without review, below what is described here.",
  signers: `Taken in: what authors sign that ${SIGNERS_FILE} lists on the default branch, below what is described here.`,
};

function consequences({ remote, trust, author }: Sharing): string[] {
  const line = `${author} <your public ssh key>, or ${author} gpg:<fingerprint>`;
  const list = `For others who trust signers, this line goes into ${SIGNERS_FILE}: ${line}`;
  return [
    `Everyone who can read the remote ${printable(remote)} can read what is sent: descriptions of code that is there, with names and paths; no code.`,
    TRUSTED[trust],
    ...(trust === "signers" ? [list] : []),
  ];
}

export async function off({ cwd, flags, positionals, out }: Invocation): Promise<number> {
  refuseMore(positionals);
  const project = await projectAt(cwd);
  return withContext(project, async (context) => {
    const db = await context.database();
    // The ref can be removed later, too.
    const sharing = (flags.delete === true ? readFormerSharing(db) : null) ?? requireSharing(db);
    let deleted = false;
    if (flags.delete === true) {
      const transport = await openTransport(project, { sharing, isAttended: isAttended() });
      deleted = await deleteOwn(context, transport, sharing);
    }
    await switchOff(context, { isDeleted: flags.delete === true });
    out.result({ schema: SCHEMA, state: "off", deleted }, [
      deleted ? `Sharing is off, and ${printable(sharing.remote)} no longer has this clone's ref.` : "Sharing is off.",
      "What was taken in stays; `ua-hooks share forget <author>` removes it.",
    ]);
    return 0;
  });
}

export async function forget({ cwd, flags, positionals, out }: Invocation): Promise<number> {
  const [author, ...more] = positionals;
  if (author === undefined || more.length > 0) throw new UaError("usage", "forget takes one author");
  const project = await projectAt(cwd);
  return withContext(project, async (context) => {
    if (flags.undo === true) {
      await rememberAuthor(context, author);
      out.result({ schema: SCHEMA, author, forgotten: false }, [`The next pull takes in what ${author} shares.`]);
      return 0;
    }
    const removed = await forgetAuthor(context, author);
    out.result({ schema: SCHEMA, author, forgotten: true, removed }, [
      `${count(removed, "description")} of ${author} removed; nothing more is taken in from there.`,
    ]);
    return 0;
  });
}

const textOf = (flag: Flags[string]) => (typeof flag === "string" && flag !== "" ? flag : null);

function trustOf({ trust }: Flags): Trust | null {
  if (trust === undefined) return null;
  const found = TRUSTS.find((one) => one === trust);
  if (found === undefined) throw new UaError("usage", `--trust is one of ${TRUSTS.join(", ")}`);
  return found;
}

function refuseMore([first]: readonly string[]): void {
  if (first !== undefined)
    throw new UaError("usage", `share does not accept "${first}" here`, "see `ua-hooks share --help`");
}
