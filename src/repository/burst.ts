import { setTimeout as sleep } from "node:timers/promises";
import { readHead } from "../git/head.js";
import { clock } from "../platform/clock.js";
import type { Project } from "./locate.js";
import { isRebasing } from "./worktrees.js";

/** Without a commit for so long, a burst has ended. */
const QUIET_MS = 3000;
const LONGEST_BURST_MS = 60_000;
const POLL_MS = 250;

/** Waits until commits pause. */
export async function endOfBurst({ worktree, commonDir }: Project): Promise<void> {
  const commit = async () => (await readHead(worktree.gitDir, commonDir)).commit;
  const deadline = clock() + LONGEST_BURST_MS;
  let head = await commit();
  for (let since = clock(); clock() - since < QUIET_MS && clock() < deadline; ) {
    await sleep(POLL_MS);
    const now = await commit();
    if (now === head && !isRebasing(worktree)) continue;
    head = now;
    since = clock();
  }
}
