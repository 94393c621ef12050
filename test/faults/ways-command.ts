import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/store/sqlite.js";
import { installedRepo, type Repo, type Result } from "../support/repo.js";
import { assertSound } from "../support/sound.js";
import { detachedRepo } from "../support/workers.js";
import type { Place, Way } from "./harness.js";
import { Author, assertDelivered, ok, pendingOf, resultFile, withEnv } from "./world.js";

/** A command after a commit that no hook saw. `again` is what a person does about a failure. */
function command(name: string, args: string[], more: (repo: Repo, author: Author) => Partial<Place>): Way {
  return {
    name: `ua-hooks ${name}`,
    hits: "command",
    open(t) {
      const repo = installedRepo(t);
      const author = new Author(repo);
      const place = {
        repo,
        prepare: () => author.unseen(author.structural()),
        act: (env: NodeJS.ProcessEnv) => withEnv(repo, env).ua(...args),
      };
      return { ...place, ...more(repo, author) };
    },
  };
}

const failed = ({ code }: Result) => code !== 0;

const apply = command("apply", [], (repo, author) => {
  const words = () => `words ${author.count}`;
  const deliver = (env: NodeJS.ProcessEnv = {}) => withEnv(repo, env).ua("apply", resultFile(repo, words()));
  return {
    prepare: () => author.unseen(author.structural()),
    act: deliver,
    after: (result) => {
      const left = pendingOf(repo).filesToReanalyze ?? [];
      if (!failed(result)) assert.deepEqual(left, []);
      // What was cut short is delivered whole or not at all; whoever does it again loses nothing.
      if (left.length === 0) assertDelivered(repo, words());
      else ok(deliver(), "again");
      assertDelivered(repo, words());
    },
  };
});

/** In a linked worktree the graph is not touched: what was delivered is found when the branch is merged. */
export const applyLinked: Way = {
  name: "ua-hooks apply in a linked worktree",
  hits: "command",
  open(t) {
    const main = detachedRepo(t);
    main.git("worktree", "add", "-q", "-b", "side", "../side");
    const repo = withEnv(main.at(join(main.base, "side")), { UA_HOOKS_FOREGROUND: "1" });
    const author = new Author(repo);
    const deliver = (env: NodeJS.ProcessEnv = {}) =>
      withEnv(repo, env).ua("apply", resultFile(repo, `words ${author.count}`));
    return {
      repo,
      prepare: () => author.unseen(author.structural()),
      act: deliver,
      after: async (result) => {
        const left = pendingOf(repo).filesToReanalyze ?? [];
        if (!failed(result)) assert.deepEqual(left, []);
        if (left.length > 0) ok(deliver(), "again");
        withEnv(main, { UA_HOOKS: "0" }).git("merge", "-q", "side");
        assert.equal(await assertSound(main, "merged"), null, "the main worktree finds it");
        assertDelivered(main, `words ${author.count}`);
      },
    };
  },
};

const ack = command("ack", ["ack"], (repo) => ({
  after: (result) => {
    if (!failed(result)) assert.equal(pendingOf(repo).state, "none");
    ok(repo.ua("ack"), "again");
    assert.equal(pendingOf(repo).state, "none", "acknowledged");
  },
}));

export const claim = command("claim", ["claim", "--holder", "one", "--json"], (repo) => ({
  after: (result, fault) => {
    const { lease } = pendingOf(repo);
    // A lease of a process whose clock was a day behind has run out for all others.
    if (!failed(result) && !fault.startsWith("clock=-"))
      assert.equal(lease?.id, (JSON.parse(result.stdout) as { lease: { id: string } }).lease.id);
    // Cut short it holds or it does not, and whoever it was can see that.
    if (lease) ok(repo.ua("release", "--lease", lease.id), "given back");
    const next = repo.uaJson<{ lease: { holder: string } }>("claim", "--holder", "two");
    assert.equal(next.lease.holder, "two");
    ok(repo.ua("release"), "released");
  },
}));

export const release = command("release", [], (repo, author) => ({
  prepare: () => {
    author.unseen(author.structural());
    ok(repo.ua("claim", "--holder", "one"), "claimed");
  },
  act: (env) => withEnv(repo, env).ua("release", "--lease", pendingOf(repo).lease?.id ?? "", "--error", "no JSON"),
  after: (result) => {
    const { lease } = pendingOf(repo);
    if (!failed(result)) assert.equal(lease, null);
    if (lease) ok(repo.ua("release", "--lease", lease.id), "again");
    assert.deepEqual([pendingOf(repo).state, pendingOf(repo).lease], ["pending", null], "anybody's again");
  },
}));

const run = command("run", ["run"], (repo) => ({
  after: (result) => {
    if (failed(result)) ok(repo.ua("run"), "again");
    assert.equal(pendingOf(repo).state, "none");
  },
}));

const runFull = command("run --full", ["run", "--full"], (repo) => ({
  after: (result) => {
    if (failed(result)) ok(repo.ua("run", "--full"), "again");
    assert.equal(pendingOf(repo).state, "none");
  },
}));

const FOLDER = ".understand-anything";
const NAMES = ["knowledge-graph.json", "fingerprints.json", "meta.json"];

export const exporting = command("export", ["export"], (repo, author) => {
  repo.git("add", "-f", ...NAMES.map((name) => join(FOLDER, name)));
  repo.commit("the artefacts");
  const live = (name: string) => readFileSync(join(repo.dir, ".git/ua-hooks/data", name), "utf8");
  let expected = "";
  return {
    prepare: () => {
      author.unseen(author.comment());
      ok(repo.ua("pending"), "read");
      expected = live("meta.json");
    },
    after: (result) => {
      if (failed(result)) ok(repo.ua("export"), "again");
      assert.equal(repo.read(join(FOLDER, "meta.json")), expected, "the live copy is in the work tree now");
      author.unseen({});
    },
  };
});

const SUMMARY = "what b is for";

export const summaries = command("registry update-summaries", [], (repo, author) => {
  ok(repo.ua("registry", "verify"), "from here on it is kept");
  const said = () => `${SUMMARY} ${author.count}`;
  const tell = (env: NodeJS.ProcessEnv = {}) => {
    const file = join(repo.base, "summaries.json");
    writeFileSync(file, JSON.stringify({ updates: [{ path: "src/b.ts", summary: said() }] }));
    return withEnv(repo, env).ua("registry", "update-summaries", file);
  };
  const show = () => repo.uaJson<{ summary: string | null }>("registry", "show", "src/b.ts");
  return {
    prepare: () => author.unseen(author.structural()),
    act: tell,
    after: (result) => {
      if (!failed(result)) assert.equal(show().summary, said());
      ok(tell(), "again");
      assert.equal(show().summary, said());
    },
  };
});

export const registry = command("registry verify", ["registry", "verify"], (repo) => ({
  after: (result) => {
    const again = ok(repo.ua("registry", "verify", "--json"), "again");
    if (!failed(result)) assert.doesNotMatch(again.stdout, /"verdict":\s*"mismatch"/);
  },
}));

export const status = command("status", ["status", "--json"], () => ({
  // Invariant "unknown is not fresh": what cannot be judged is unknown, with a reason.
  after: ({ stdout, code }, fault) => {
    if (fault === "kill") return;
    const { status: said, reason } = JSON.parse(stdout === "" ? "{}" : stdout) as { status?: string; reason?: string };
    if (code === 0) assert.ok(["fresh", "pending", "unknown"].includes(said ?? ""), stdout);
    if (said === "unknown") assert.match(reason ?? "", /E[A-Z]+/);
  },
}));

const pending = command("pending", ["pending"], (_repo, author) => ({
  prepare: () => author.unseen(author.comment()),
}));

export const pausing = command("pause", ["pause"], (repo, author) => ({
  prepare: () => void ok(repo.ua("resume"), "resume"),
  judge: async (what) => {
    author.unseen(author.comment()); // paused or not: the next read has something to do
    await assertSound(repo, what);
  },
  after: (result) => {
    if (failed(result)) ok(repo.ua("pause"), "again");
    ok(repo.ua("resume"), "resumed");
  },
}));

/** `git clean -xfd` took the data dir: it comes back from the state. */
export const revival = command("status without a data dir", ["status"], (repo) => ({
  prepare: () => rmSync(join(repo.dir, FOLDER), { recursive: true }),
}));

/** Another tool wrote the graph anew. */
const adoption = command("status after another tool's run", ["status"], (repo, author) => {
  const kept = join(repo.base, "kept");
  cpSync(join(repo.dir, FOLDER), kept, { recursive: true });
  return {
    prepare: () => {
      author.unseen(author.structural());
      const graph = JSON.parse(repo.read(join(FOLDER, NAMES[0] ?? ""))) as { nodes: { summary: string }[] };
      for (const node of graph.nodes) node.summary = `theirs ${author.count}`;
      repo.write({ [join(FOLDER, "knowledge-graph.json")]: JSON.stringify(graph) });
      const meta = JSON.parse(repo.read(join(FOLDER, "meta.json"))) as Record<string, unknown>;
      repo.write({
        [join(FOLDER, "meta.json")]: JSON.stringify({ ...meta, lastAnalyzedAt: new Date().toISOString() }),
      });
    },
    after: () => assert.ok(repo.read(join(FOLDER, "knowledge-graph.json")).includes(`theirs ${author.count}`)),
  };
});

const STATEMENT_TABLES = [
  "statements",
  "batches",
  "slices",
  "renames",
  "documents",
  "imported_documents",
  "compared",
  "candidates",
  "graph_pieces",
  "graph_state",
  "symbol_hashes",
];
const CITATION_TABLES = ["document_blames", "declared_names", "document_index", "document_findings", "cited_targets"];
/** The database as version 1 had it: settings without their version, texts without quotes, and no later table. */
const DOWNGRADE = `
  DROP TABLE unreachable;
  UPDATE settings SET value = json_extract(value, '$') WHERE json_valid(value) AND json_type(value) = 'text';
  ALTER TABLE settings DROP COLUMN version;
  DROP TABLE sharing_sent;
  DROP TABLE sharing_segments;
  DROP TABLE sharing_tips;
  DROP TABLE sharing_unshown;
  DROP TABLE descriptions;
  DROP TABLE symbol_baseline;
  DROP TABLE partly_analysed;
  ALTER TABLE drift DROP COLUMN symbols;
  ALTER TABLE markers DROP COLUMN tokens;
  ALTER TABLE views DROP COLUMN followed_sha;
  ${STATEMENT_TABLES.map((name) => `DROP TABLE ${name};`).join("\n")}
  ${CITATION_TABLES.map((name) => `DROP TABLE ${name};`).join("\n")}
  DROP VIEW imports;
  DROP INDEX baseline_by_oid;
  ${["heads", "pieces", "links", "node_paths", "fingerprint_entries", "used_names"].map((name) => `DROP TABLE ${name};`).join("\n")}
  CREATE TABLE snapshots (scope TEXT, digest TEXT, data BLOB, size INTEGER, at TEXT, PRIMARY KEY (scope, digest));
  CREATE TABLE imports (scope TEXT, importer TEXT, imported TEXT, PRIMARY KEY (scope, importer, imported));
  PRAGMA user_version = 1;
`;

export const upgrading = command("status after an upgrade", ["status"], (repo, author) => ({
  prepare: async () => {
    author.unseen(author.structural());
    const db = await openDatabase(join(repo.dir, ".git/ua-hooks/state.db"));
    db.exec(DOWNGRADE);
    db.close();
  },
  // Where the upgrade failed, the next command upgrades: a program that is not the clone's own copy only reads.
  judge: async (what) => {
    ok(repo.ua("status"), `${what}, again`);
    await assertSound(repo, what);
  },
  after: () => assert.equal(pendingOf(repo).state, "pending"),
}));

export const COMMAND_WAYS: readonly Way[] = [
  ...[status, pending, apply, applyLinked, ack, claim, release, run, runFull, exporting],
  ...[registry, summaries, pausing, revival, adoption, upgrading],
];
