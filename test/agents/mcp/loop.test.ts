import assert from "node:assert/strict";
import { test } from "node:test";
import { analysisOf, summaries } from "../../support/agent.js";
import { connect } from "../../support/mcp.js";
import { installedRepo } from "../../support/repo.js";

const wider = "export function twice(x: number, times: number): number {\n  return x * times;\n}\n";

interface Claimed {
  pending: { generation: number; state: string; files: number; lease: { id: string; holder: string } } | null;
  files: { path: string; what: string; drift: string | null; details: string[] }[];
}

for (const mode of ["legacy", "auto"] as const) {
  test(`the whole loop over stdio: freshness, pending, claim, apply, ack, fresh (${mode})`, async (t) => {
    const repo = installedRepo(t);
    const { call, said } = await connect(t, repo, { mode });
    assert.equal((await call("get_freshness")).status, "fresh");
    repo.commit("two changes", { "src/b.ts": wider, "tools/run.py": "def run(argument, more):\n    return more\n" });
    assert.equal((await call("get_freshness")).status, "pending");

    const listed = await call<Claimed>("get_pending_update");
    assert.deepEqual(
      listed.files.map(({ path, what, drift }) => [path, what, drift]),
      [
        ["src/b.ts", "analyse", "interface"],
        ["tools/run.py", "analyse", "interface"],
        ["src/a.ts", "dependent", null],
      ],
    );
    const { pending } = await call<Claimed>("claim_update", { holder: "the loop" });
    assert.deepEqual([pending?.state, pending?.lease.holder, pending?.files], ["claimed", "the loop", 2]);

    const lease = pending?.lease.id;
    const applied = await call("apply_update", { ...analysisOf(repo, ["src/b.ts"], "told over MCP"), lease });
    assert.deepEqual(applied.applied, ["src/b.ts"]);
    assert.equal((applied.pending as Claimed["pending"])?.files, 1);
    assert.equal(summaries(repo).get("file:src/b.ts"), "told over MCP: src/b.ts");

    assert.deepEqual(await call("ack_update", { lease }), { acked: ["tools/run.py"], pending: null });
    assert.equal((await call("get_freshness")).status, "fresh");
    assert.equal(repo.uaJson("status").status, "fresh", "and the command says the same");
    assert.equal(said(), "");
  });
}
