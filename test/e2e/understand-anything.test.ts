import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, delimiter, extname, join } from "node:path";
import { test } from "node:test";
import type { FingerprintStore } from "../../src/verification/compat.js";
import { makeRepo, root } from "../support/repo.js";
import { installInto } from "../support/round.js";
import { loadCore, noCore } from "../support/understand-anything.js";

/** Folders with TypeScript, Python or Go, separated as in PATH; by default our own code. */
const projects = (process.env.UNDERSTAND_ANYTHING_PROJECTS ?? join(root, "src")).split(delimiter);

const FILES = 40;

interface Language {
  comment: string;
  /** A function at the top of a file, up to its first parameter. */
  declaration: RegExp;
  parameter: string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ".ts": { comment: "//", declaration: /^export function \w+\((?=\w+[:?])/m, parameter: "added: number, " },
  ".py": { comment: "#", declaration: /^def \w+\((?=\w)/m, parameter: "added, " },
  ".go": { comment: "//", declaration: /^func \w+\((?=\w+ )/m, parameter: "added int, " },
};

function sourcesIn(folder: string): Record<string, string> {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const sources = all.filter((path) => extname(path) in LANGUAGES && !/[A-Z]|^\.|\/\.|_test\.go$/.test(path));
  return Object.fromEntries(
    sources.slice(0, FILES).map((path) => [`lib/${path}`, readFileSync(join(folder, path), "utf8")]),
  );
}

const languageOf = (path: string) => LANGUAGES[extname(path)] as Language;

for (const project of projects) {
  test(`its own core decides over our fingerprints as we do: ${basename(project)}`, { skip: noCore }, async (t) => {
    const core = await loadCore();
    const repo = makeRepo(t);
    const sources = sourcesIn(project);
    const paths = Object.keys(sources);
    assert.equal(paths.length, FILES);
    repo.commit("start", sources);
    installInto(repo);
    const stored = () => JSON.parse(repo.read(".understand-anything/fingerprints.json")) as FingerprintStore;
    // Every file, as where meta.json is missing or names an old commit.
    const decided = () => core.decide(repo.dir, stored(), paths);
    assert.equal(decided().action, "SKIP");

    const commented = Object.entries(sources).map(([path, text]) => {
      const { comment } = languageOf(path);
      return [path, `${comment} Copyright the authors.\n${comment} Licensed to you.\n\n${text}\n${comment} the end\n`];
    });
    repo.commit("licence headers", Object.fromEntries(commented));
    assert.equal(repo.marker(), null);
    const { action, reason } = decided();
    assert.equal(action, "SKIP");
    assert.match(reason, new RegExp(`^${FILES} `));

    const widened = paths.find((path) => languageOf(path).declaration.test(repo.read(path))) ?? "";
    const { declaration, parameter } = languageOf(widened);
    repo.commit("wider", { [widened]: repo.read(widened).replace(declaration, `$&${parameter}`) });
    assert.deepEqual(repo.marker()?.filesToReanalyze, [widened]);
    assert.deepEqual([decided().action, decided().filesToReanalyze], ["PARTIAL_UPDATE", [widened]]);
  });
}
