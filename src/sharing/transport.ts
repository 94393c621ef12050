import { UaError } from "../errors.js";
import { listConfig, type RemoteAccess, remoteAccess, remoteAddress, type ScopedEntry } from "../git/remote-config.js";
import { type GitError, isRefusal } from "../git/run.js";
import {
  MOST_PACK_BYTES,
  type NetworkOptions,
  networkGit,
  openSideRepository,
  type SideRepository,
  sideRefs,
} from "../git/side-repository.js";
import { printable } from "../printable.js";
import type { Project } from "../repository/locate.js";
import { fetchedRefs, isAuthor, REMOTE_REFS, SIDE_REFS, sideFolder } from "./authors.js";
import type { Sharing } from "./settings.js";

/** What a command that may use the network works with. Only typed commands create one. */
export interface Transport {
  side: SideRepository;
  remote: string;
  /** Read while other work is done. */
  access: Promise<RemoteAccess>;
  /** The refs of the side repository as they were at the first call, by their full name: a sync asks for them once. */
  refs(): Promise<ReadonlyMap<string, string>>;
  isAttended: boolean;
}

interface TransportOptions {
  sharing: Pick<Sharing, "remote" | "address">;
  isAttended: boolean;
  /** The clone's config, if it is being read already. */
  config?: Promise<ScopedEntry[]>;
}

export async function openTransport({ stateDir, worktree }: Project, options: TransportOptions): Promise<Transport> {
  const { sharing, isAttended, config = listConfig(worktree.path) } = options;
  const access = (side: SideRepository) => config.then((entries) => accessTo(side, sharing, entries));
  const side = await openSideRepository(sideFolder(stateDir), worktree.path);
  let refs: Promise<Map<string, string>> | undefined;
  const readRefs = () => {
    refs ??= sideRefs(side, SIDE_REFS).then(
      (found) => new Map([...found].map(([name, oid]) => [`${SIDE_REFS}${name}`, oid])),
    );
    return refs;
  };
  const transport = { side, remote: sharing.remote, access: access(side), refs: readRefs, isAttended };
  transport.access.catch(() => {}); // thrown where it is used, if it is
  return transport;
}

async function accessTo(
  side: SideRepository,
  { remote, address }: TransportOptions["sharing"],
  config: readonly ScopedEntry[],
): Promise<RemoteAccess> {
  const access = await remoteAccess(side, remote, config);
  if (access === null) {
    const next = "`ua-hooks share on --remote NAME` names another";
    throw new UaError("usage", `there is no remote ${printable(remote)}`, next);
  }
  if (address === undefined || address === remoteAddress(config, remote)) return access;
  const what = `the address of the remote ${printable(remote)} is not the one that sharing was switched on for`;
  const next = `\`git fetch --prune ${printable(remote)}\`, so that only the branches of the new one count as public; then \`ua-hooks share on\``;
  throw new UaError("refused", what, next);
}

/**
 * No tags, no filter, nothing pruned, nothing that the user's config adds. Without its advice git would say at every fetch that it does not
 * look for forced updates.
 */
const FETCH = [
  ...["-c", "advice.fetchShowForcedUpdates=false"],
  "-c",
  "fetch.unpackLimit=1", // one file while it is received, whose size can be watched
  ...["fetch", "--force", "--no-tags", "--no-filter", "--no-write-fetch-head", "--no-prune"],
  ...["--no-recurse-submodules", "--no-auto-maintenance", "--no-show-forced-updates", "--no-progress"],
];

/**
 * A ref of one author may be in the way of another's (`a`, `a/b`): then the others are fetched, all the same. Returns whether a ref here may
 * have changed: git prints a line for each that does, and nothing for the others.
 */
export async function fetchAuthors(
  transport: Transport,
  which: { only: readonly string[] } | { without: readonly string[] },
  mostBytes = MOST_PACK_BYTES,
): Promise<boolean> {
  const { remote } = transport;
  const to = fetchedRefs(remote);
  const specs =
    "only" in which
      ? // With a star, so that a ref that is not there is no error.
        which.only.map((author) => `+${REMOTE_REFS}${author}*:${to}${author}*`)
      : [`+${REMOTE_REFS}*:${to}*`, ...which.without.map((author) => `^${REMOTE_REFS}${author}`)];
  if (specs.length === 0) return false;
  let isChanged = false;
  const onMessage = () => {
    isChanged = true;
  };
  await reach(transport, [...FETCH, remote, ...specs], { ok: [1], onMessage }, mostBytes);
  return isChanged;
}

/** Some of those that the remote has, at most so many bytes. */
export async function fetchRefs(transport: Transport, authors: readonly string[], mostBytes: number): Promise<void> {
  const { remote } = transport;
  const specs = authors.map((author) => `+${REMOTE_REFS}${author}:${fetchedRefs(remote)}${author}`);
  await reach(transport, [...FETCH, remote, ...specs], { ok: [1] }, mostBytes);
}

/** Authors that the remote has, with their tips. */
export async function listAuthors(transport: Transport): Promise<Map<string, string>> {
  const output = await reach(transport, ["ls-remote", "--refs", transport.remote, `${REMOTE_REFS}*`]);
  const lines = output.toString("utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [oid = "", ref = ""] = line.split("\t");
      const author = ref.slice(REMOTE_REFS.length);
      return ref.startsWith(REMOTE_REFS) && isAuthor(author) ? [[author, oid] as const] : [];
    }),
  );
}

export type PushResult = { state: "pushed" | "moved" } | { state: "busy" | "refused"; reason: string };

const PUSH = [
  ...["push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"],
  ...["--no-progress", "--quiet"],
];

/**
 * Fast-forwards the author's own ref on the remote; null deletes it. git notes what it has sent as fetched, so that the next fetch finds
 * nothing new in this ref.
 */
export async function pushOwn(
  transport: Transport,
  { author }: { author: string },
  tip: string | null,
): Promise<PushResult> {
  const spec = `${tip ?? ""}:${REMOTE_REFS}${author}`;
  const { remote } = transport;
  const noted = tip === null ? [] : ["-c", `remote.${remote}.fetch=+${REMOTE_REFS}*:${fetchedRefs(remote)}*`];
  const output = await reach(transport, [...noted, ...PUSH, remote, spec], { ok: [1] });
  return parsePush(output.toString("utf8"));
}

/** `<flag>\t<from>:<to>\t<summary> (<reason>)` (git-push(1), "OUTPUT"); nothing with --quiet where all went well. */
export function parsePush(output: string): PushResult {
  const line = output.split("\n").find((one) => one.startsWith("!\t"));
  if (line === undefined) return { state: "pushed" };
  const [, , summary = ""] = line.split("\t");
  const [, kind = "", reason = ""] = /^\[([^\]]*)\](?: \((.*)\))?/.exec(summary) ?? [];
  if (kind === "rejected") return { state: "moved" };
  const why = printable(reason.slice(0, 200)) || "no reason given";
  return BUSY.test(reason) ? { state: "busy", reason: why } : { state: "refused", reason: why };
}

/**
 * Two pushes at a time, and the other one was faster; or the remote cannot write just now. As git and jgit say it: "branch is locked" in
 * a server's own words is a refusal.
 */
const BUSY =
  /^(?:cannot lock|failed to (?:update|lock)|lock (?:error|failure)|reference already exists|incorrect old value|unpacker error)|\bbut expected\b|unable to create '.*\.lock'/i;

/** A remote that cannot be reached changes nothing here. */
async function reach(
  { side, remote, access, isAttended }: Transport,
  args: readonly string[],
  git: NetworkOptions["git"] = {},
  mostBytes = MOST_PACK_BYTES,
): Promise<Buffer> {
  const reached = await access;
  try {
    return await networkGit(side, reached, args, { isAttended, git, mostBytes });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const what = `the remote ${printable(remote)} did not answer as expected: ${lastLine(error)}`;
    throw new UaError("git", what, "nothing here was changed; run the command again when it can be reached", error);
  }
}

/** git's own last word, without a password that an address may contain. */
function lastLine({ stderr }: GitError): string {
  const lines = stderr.split("\n").filter((line) => /^(?:fatal|error|remote|ssh)\b/.test(line));
  const line = lines.find((one) => one.startsWith("fatal:")) ?? lines[0] ?? "git failed";
  return printable(line.replace(/:\/\/[^@/\s]*@/g, "://").slice(0, 300));
}
