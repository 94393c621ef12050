#!/bin/sh
# State that another version made, under this one: `sh scripts/upgrade.sh FOLDER`, where FOLDER is that version's package, with what
# it depends on. Needs dist/ (npm run build). Ends with 1 and says what differs if anything is lost.
set -eu
old=$(CDPATH= cd -- "$1" && pwd)/dist/cli.cjs
new=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)/dist/cli.cjs
base=$(mktemp -d "${TMPDIR:-/tmp}/ua-hooks-upgrade-XXXXXX")
trap 'rm -rf "$base"' EXIT
fail() {
  echo "upgrade: $*" >&2
  exit 1
}

# A project with a history, a linked worktree, a delivered description, a record, and something pending.
export HOME="$base" UA_HOOKS_FOREGROUND=1 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
mkdir -p "$base/project/src"
cd "$base/project"
git init -q -b main
echo 'export function twice(x: number): number { return x * 2; }' >src/twice.ts
echo 'import { twice } from "./twice.js"; export const four = () => twice(2);' >src/four.ts
git add -A
git commit -q -m start
node "$old" install
echo 'export function twice(x: number, y = 2): number { return x * y; }' >src/twice.ts
git commit -q -a -m "another parameter"
node "$old" run
node "$old" record add "twice takes a factor" --type decision --subject src/twice.ts
git worktree add -q "$base/linked" -b topic
echo 'export const eight = () => twice(4);' >>"$base/linked/src/four.ts"
git -C "$base/linked" commit -q -a -m "in a worktree"
echo 'export function thrice(x: number): number { return x * 3; }' >src/thrice.ts
git add -A
git commit -q -m "a new file"
facts='
  const [, file] = process.argv;
  const read = (name) => JSON.parse(require("fs").readFileSync(name, "utf8"));
  const marker = read(".understand-anything/pending-update.json");
  const graph = read(".understand-anything/knowledge-graph.json");
  const nodes = graph.nodes.map(({ id, type, summary }) => [id, type, summary].join(" ")).sort();
  require("fs").writeFileSync(file, JSON.stringify({ action: marker.action, files: marker.filesToReanalyze, nodes }, null, 2) + "\n");
'
node -e "$facts" "$base/before.json"
records=$(node "$old" record list --json | grep -c '"id"') || :

# The clone's own copy is the older program: this version must work beside it, and then replace it.
node "$new" status >/dev/null || fail "status fails before install"
node "$new" install
node -e "$facts" "$base/after.json"
diff -u "$base/before.json" "$base/after.json" || fail "the marker or the graph differ"
[ "$(node "$new" record list --json | grep -c '"id"' || :)" = "$records" ] || fail "there are other records"
node "$new" verify --against-clean || fail "the state differs from a clean one"
node "$new" doctor || fail "doctor finds something"

# And the hooks work.
echo 'export const nine = () => 9;' >src/nine.ts
git add -A
git commit -q -m "after the upgrade"
grep -q src/nine.ts .understand-anything/pending-update.json || fail "a commit after the upgrade was not noticed"
node "$new" uninstall --purge --yes >/dev/null || fail "uninstall fails"
echo "upgrade: state of $(sed -n 's/^  "version": "\(.*\)",/\1/p' "$1/package.json") works under $(sed -n 's/^  "version": "\(.*\)",/\1/p' "$(dirname "$new")/../package.json")"
