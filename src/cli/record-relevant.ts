import { UaError } from "../errors.js";
import { toDocument } from "../records/document.js";
import { recordHolds } from "../records/holds.js";
import { relevantRecords } from "../records/relevant.js";
import type { Invocation } from "./command.js";
import { lines } from "./record-lines.js";
import { isCount, number, subjectsOf, withRecords } from "./record-options.js";

const LIMIT = 10;

export async function relevant(invocation: Invocation): Promise<number> {
  const { cwd, flags, positionals, out } = invocation;
  if (positionals.length === 0) {
    throw new UaError(
      "usage",
      "record relevant needs a path",
      "for example: ua-hooks record relevant src/a.ts src/b.ts#retry",
    );
  }
  const limit = number(flags, "limit", LIMIT, isCount);
  const includeStale = flags["include-stale"] === true;
  const found = await withRecords(invocation, (worktree) =>
    relevantRecords(worktree, subjectsOf(worktree, cwd, positionals), { limit, includeStale }),
  );
  const records = found.map((ranked) => ({
    ...toDocument(ranked),
    holds: recordHolds(ranked),
    closeness: ranked.closeness,
  }));
  out.result(
    { schema: "ua-hooks.records/1", total: records.length, records },
    found.flatMap((ranked) => [...lines(ranked), `  ${recordHolds(ranked)}`]),
  );
  return 0;
}
