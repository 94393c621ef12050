import type { Part } from "./bench.js";
import { interleave, row, time } from "./measure.js";
import { git, installOurs, makeRepo, type Place, quiet } from "./repos.js";

const WORKTREES = 20;
const COMMITS = 15;

/** Commits one change after the other in each worktree below `$1`, in all of them at once. */
const ALL_AT_ONCE = `
for tree in "$1"/*; do
  (
    cd "$tree" || exit 1
    i=0
    while [ $i -lt ${COMMITS} ]; do
      i=$((i + 1))
      echo "export const added$$_$i = () => $i;" >> src/d0/f1.ts
      git commit -q -a -m "change $i" || exit 1
    done
  ) &
done
wait
`;

/** An agent in each of many linked worktrees: what git's users wait for in all of them together. */
export const worktreeRows: Part = async ({ base, rounds }) => {
  const places: Record<string, Place> = {};
  for (const name of ["bare", "ours"] as const) {
    const place = makeRepo(base, name, 200);
    places[name] = place;
    for (let at = 0; at < WORKTREES; at++)
      git(place, "worktree", "add", "-q", "-b", `side${at}`, `../${name}-trees/tree${at}`);
    if (name === "ours") installOurs(place);
  }
  const each = Object.fromEntries(Object.entries(places).map(([name, place]) => [name, () => commitInAll(place)]));
  const samples = await interleave(rounds(5), each);
  const what = `${COMMITS} commits in each of ${WORKTREES} linked worktrees at once: ua-hooks ÷ git alone`;
  return [row(what, samples.get("ours") ?? [], samples.get("bare") ?? [], 1.5)];
};

async function commitInAll(place: Place): Promise<number> {
  const ms = time("sh", ["-c", ALL_AT_ONCE, "sh", `${place.dir}-trees`], { cwd: place.dir, env: place.env });
  await quiet(place);
  return ms;
}
