import assert from "node:assert/strict";
import { readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inNamespace, noNamespace } from "../support/mounts.js";
import { installedRepo, repoAt } from "../support/repo.js";

// What macOS does to a user's clone, as far as another system can show it; scripts/beds/ has the rest.

const skip = process.platform === "linux" ? noNamespace() : "these mounts are Linux'";

/** Homebrew's folder with this Node, and no other Node where hooks look first. */
const HOMEBREW = [
  "mount -t tmpfs none /opt && mkdir -p /opt/homebrew/bin && : >/opt/homebrew/bin/node",
  `mount --bind '${process.execPath}' /opt/homebrew/bin/node`,
  ...["/usr/bin/node", "/usr/local/bin/node"].map((node) => `{ [ ! -e ${node} ] || mount --bind /dev/null ${node}; }`),
].join(" && ");

test("a client that launchd started, after `brew upgrade node`: the hook finds Homebrew's new one", { skip }, (t) => {
  const repo = installedRepo(t);
  const file = join(repo.dir, ".git/ua-hooks/env");
  const [, ...rest] = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, ["/opt/homebrew/Cellar/node/22.1.0/bin/node", ...rest].join("\n"));
  const env = { HOME: repo.base, PATH: "/usr/bin:/bin:/usr/sbin:/sbin", UA_HOOKS_FOREGROUND: "1" };
  const gui = inNamespace(repoAt(repo.dir, repo.base, env), HOMEBREW);
  repo.write({ "src/b.ts": "export function twice(client: number): number {\n  return client;\n}\n" });
  gui.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-a", "-m", "by a client");
  assert.deepEqual([repo.marker()?.head.commit, repo.marker()?.filesToReanalyze], [repo.head(), ["src/b.ts"]]);
});

test("a folder that is a link, as /tmp is: one clone, by either path", (t) => {
  const repo = installedRepo(t);
  const real = join(repo.base, "private");
  renameSync(repo.dir, real);
  symlinkSync("private", repo.dir); // what install saw is a link now
  const [linked, direct] = [repo, repo.at(real)];
  linked.commit("by the link", { "src/b.ts": "export function twice(a: number): number {\n  return a;\n}\n" });
  assert.deepEqual(direct.marker()?.filesToReanalyze, ["src/b.ts"]);
  direct.commit("by the folder", { "tools/more.py": "def more(a):\n    return a\n" });
  assert.deepEqual(linked.marker()?.filesToReanalyze, ["src/b.ts", "tools/more.py"]);
  const [one, other] = [linked, direct].map((each) => each.uaJson("status"));
  assert.deepEqual(one, other);
  assert.equal(one?.status, "pending");
});
