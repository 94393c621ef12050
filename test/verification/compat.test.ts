import assert from "node:assert/strict";
import { test } from "node:test";
import {
  analyzeChanges,
  buildFingerprintStore,
  type ChangeAnalysis,
  classifyUpdate,
  compareFingerprints,
  contentHash,
  extractFileFingerprint,
  type FileFingerprint,
  fingerprintText,
  type StructuralAnalysis,
} from "../../src/index.js";
import { makeRepo } from "../support/repo.js";

const NOTHING: StructuralAnalysis = { functions: [], classes: [], imports: [], exports: [] };

const ANALYSIS: StructuralAnalysis = {
  functions: [{ name: "load", lineRange: [3, 12], params: ["path"], returnType: "string" }],
  classes: [{ name: "Cache", lineRange: [14, 20], methods: ["get", "set"], properties: ["size"] }],
  imports: [{ source: "node:fs", specifiers: ["readFileSync", "existsSync"] }],
  exports: [{ name: "load" }],
};

function entry(change: Partial<StructuralAnalysis> = {}, content = String(Math.random())): FileFingerprint {
  return extractFileFingerprint("src/a.ts", content, { ...ANALYSIS, ...change });
}

test("extractFileFingerprint has the seed systems' shape", () => {
  assert.deepEqual(extractFileFingerprint("src/a.ts", "one\ntwo\n", ANALYSIS), {
    filePath: "src/a.ts",
    contentHash: contentHash("one\ntwo\n"),
    functions: [{ name: "load", params: ["path"], returnType: "string", exported: true, lineCount: 10 }],
    classes: [{ name: "Cache", methods: ["get", "set"], properties: ["size"], exported: false, lineCount: 7 }],
    imports: [{ source: "node:fs", specifiers: ["readFileSync", "existsSync"] }],
    exports: ["load"],
    totalLines: 3,
    hasStructuralAnalysis: true,
  });
});

test("contentHash is sha256 of the text", () => {
  assert.equal(contentHash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

const [load] = ANALYSIS.functions;
const [cache] = ANALYSIS.classes;
assert.ok(load !== undefined && cache !== undefined);

const PLAIN_RULE: [title: string, change: Partial<StructuralAnalysis>, details: string[]][] = [
  ["content alone", {}, ["internal logic changed (no structural impact)"]],
  ["a new function", { functions: [load, { ...load, name: "save" }] }, ["new function: save"]],
  ["a removed function", { functions: [] }, ["removed function: load"]],
  ["params", { functions: [{ ...load, params: ["path", "mode"] }] }, ["params changed: load"]],
  ["the return type", { functions: [{ ...load, returnType: undefined }] }, ["return type changed: load"]],
  [
    "export status",
    { exports: [{ name: "load" }, { name: "Cache" }] },
    ["export status changed: Cache", "exports changed"],
  ],
  [
    "size past 1.5 times",
    { functions: [{ ...load, lineRange: [1, 16] }] },
    ["significant size change: load (10 → 16 lines)"],
  ],
  [
    "size at 1.5 times",
    { functions: [{ ...load, lineRange: [1, 15] }] },
    ["internal logic changed (no structural impact)"],
  ],
  [
    "size below half",
    { functions: [{ ...load, lineRange: [1, 4] }] },
    ["significant size change: load (10 → 4 lines)"],
  ],
  ["a new class", { classes: [cache, { ...cache, name: "Disk" }] }, ["new class: Disk"]],
  ["a removed class", { classes: [] }, ["removed class: Cache"]],
  ["methods", { classes: [{ ...cache, methods: ["get"] }] }, ["methods changed: Cache"]],
  [
    "methods in another order",
    { classes: [{ ...cache, methods: ["set", "get"] }] },
    ["internal logic changed (no structural impact)"],
  ],
  ["properties", { classes: [{ ...cache, properties: [] }] }, ["properties changed: Cache"]],
  ["imports", { imports: [] }, ["imports changed"]],
  [
    "specifiers in another order",
    { imports: [{ source: "node:fs", specifiers: ["existsSync", "readFileSync"] }] },
    ["internal logic changed (no structural impact)"],
  ],
];

for (const [title, change, details] of PLAIN_RULE) {
  test(`entries without our fields are compared by the seed's rule: ${title}`, () => {
    const found = compareFingerprints(entry(), entry(change));
    const cosmetic = details[0]?.startsWith("internal") === true;
    assert.deepEqual(found, {
      filePath: "src/a.ts",
      changeLevel: cosmetic ? "COSMETIC" : "STRUCTURAL",
      drift: cosmetic ? "body" : "interface",
      details,
    });
  });
}

test("an entry of another tool against one of ours is compared by content only", async () => {
  const text = "export function load(path: string): string { return path; }\n";
  const ours = await fingerprintText("src/a.ts", Buffer.from(text));
  assert.equal(compareFingerprints(entry({}, text), ours).changeLevel, "NONE");
  assert.equal(compareFingerprints(entry(), ours).changeLevel, "STRUCTURAL");
  assert.equal(compareFingerprints(ours, entry()).changeLevel, "STRUCTURAL");
});

test("an entry of ours as fingerprints.json has it, without hashes, is compared by the plain rule and never looks equal", async () => {
  const strip = async (text: string) => {
    const { functions, tokenHash: _tokens, ...rest } = await fingerprintText("src/a.ts", Buffer.from(text));
    return { ...rest, functions: functions.map(({ hash: _hash, signature: _signature, ...one }) => one) };
  };
  const before = await strip("export function f(a) { return 1; }");
  assert.deepEqual(compareFingerprints(before, await strip("export function f(b) { return 1; }")).details, [
    "params changed: f",
  ]);
  const whole = await fingerprintText("src/a.ts", Buffer.from("export function f(a) { return 2; }"));
  assert.equal(compareFingerprints(before, whole).drift, "body");
  const wider = await fingerprintText("src/a.ts", Buffer.from("export function f(a, b) { return 1; }"));
  assert.deepEqual(compareFingerprints(before, wider).details, ["params changed: f"]);
});

test("analyzeChanges sorts files by what became of them", (t) => {
  const repo = makeRepo(t, { init: false });
  repo.write({ "new.ts": "n", "same.ts": "same", "inner.ts": "changed", "shape.ts": "changed", "page.vue": "changed" });
  repo.write({ "module/file.ts": "a directory where a submodule would be" });
  const plain = (filePath: string, text: string) => extractFileFingerprint(filePath, text, NOTHING);
  const store = {
    files: {
      "same.ts": plain("same.ts", "same"),
      "inner.ts": plain("inner.ts", "before"),
      "shape.ts": plain("shape.ts", "before"),
      "page.vue": plain("page.vue", "before"),
      "gone.ts": plain("gone.ts", "before"),
    },
  };
  const registry = {
    analyzeFile: (path: string) =>
      path === "page.vue" ? null : path === "shape.ts" ? { ...NOTHING, exports: [{ name: "x" }] } : NOTHING,
  };
  const changed = [
    "new.ts",
    "same.ts",
    "inner.ts",
    "shape.ts",
    "page.vue",
    "gone.ts",
    "never.ts",
    "module",
    "toString",
  ];
  const found = analyzeChanges(repo.dir, changed, store, registry);
  const { fileChanges, ...lists } = found;
  assert.deepEqual(lists, {
    newFiles: ["new.ts"],
    deletedFiles: ["gone.ts"],
    structurallyChangedFiles: ["shape.ts", "page.vue"],
    cosmeticOnlyFiles: ["inner.ts"],
    unchangedFiles: ["same.ts"],
  });
  assert.deepEqual(
    fileChanges.map(({ filePath, changeLevel, details }) => [filePath, changeLevel, details[0]]),
    [
      ["new.ts", "STRUCTURAL", "new file"],
      ["same.ts", "NONE", undefined],
      ["inner.ts", "COSMETIC", "internal logic changed (no structural impact)"],
      ["shape.ts", "STRUCTURAL", "exports changed"],
      ["page.vue", "STRUCTURAL", "no structural analysis available — conservative classification"],
      ["gone.ts", "STRUCTURAL", "file deleted"],
    ],
  );
});

test("buildFingerprintStore: what the analyzer found, content alone where it knows nothing, and no file that is not there", (t) => {
  const repo = makeRepo(t, { init: false });
  repo.write({ "src/a.ts": "one\n", "page.vue": "<p>\n", ["__proto__"]: "a file like any other\n", "sub/file.ts": "" });
  const registry = { analyzeFile: (path: string) => (path.endsWith(".ts") ? ANALYSIS : null) };
  const listed = ["src/a.ts", "page.vue", "__proto__", "gone.ts", "sub"];
  const { generatedAt, files, ...rest } = buildFingerprintStore(repo.dir, listed, registry, "abc");
  assert.deepEqual(rest, { version: "1.0.0", gitCommitHash: "abc" });
  assert.ok(Math.abs(Date.parse(generatedAt) - Date.now()) < 60_000);
  assert.deepEqual(Object.keys(files), ["src/a.ts", "page.vue", "__proto__"]);
  assert.deepEqual(files["src/a.ts"], extractFileFingerprint("src/a.ts", "one\n", ANALYSIS));
  const { hasStructuralAnalysis, functions, contentHash: hash, totalLines } = files["page.vue"] ?? entry();
  assert.deepEqual([hasStructuralAnalysis, functions, hash, totalLines], [false, [], contentHash("<p>\n"), 2]);
  const again = analyzeChanges(repo.dir, listed, { files }, registry);
  assert.deepEqual(again.unchangedFiles, ["src/a.ts", "page.vue", "__proto__"]);
});

function analysed(counts: { new?: string[]; gone?: string[]; changed?: number; cosmetic?: number }): ChangeAnalysis {
  const many = (count = 0) => Array.from({ length: count }, (_, at) => `src/${at}.ts`);
  return {
    fileChanges: [],
    newFiles: counts.new ?? [],
    deletedFiles: counts.gone ?? [],
    structurallyChangedFiles: many(counts.changed),
    cosmeticOnlyFiles: many(counts.cosmetic),
    unchangedFiles: [],
  };
}

const KNOWN = ["src/0.ts", "lib/x.ts", "top.ts"];

const RULE: [title: string, analysis: ChangeAnalysis, total: number, known: string[], action: string][] = [
  ["nothing", analysed({}), 100, KNOWN, "SKIP"],
  ["cosmetic only", analysed({ cosmetic: 40 }), 100, KNOWN, "SKIP"],
  ["one", analysed({ changed: 1 }), 100, KNOWN, "PARTIAL_UPDATE"],
  ["ten", analysed({ changed: 10 }), 100, KNOWN, "PARTIAL_UPDATE"],
  ["eleven", analysed({ changed: 11 }), 100, KNOWN, "ARCHITECTURE_UPDATE"],
  ["thirty", analysed({ changed: 30 }), 100, KNOWN, "ARCHITECTURE_UPDATE"],
  ["thirty-one", analysed({ changed: 31 }), 100, KNOWN, "FULL_UPDATE"],
  ["one of two files, exactly half", analysed({ changed: 1 }), 2, KNOWN, "PARTIAL_UPDATE"],
  ["two of three files", analysed({ changed: 2 }), 3, KNOWN, "FULL_UPDATE"],
  ["a graph without files has no share", analysed({ changed: 2 }), 0, KNOWN, "PARTIAL_UPDATE"],
  ["a new file in a known directory", analysed({ new: ["lib/y.ts"] }), 100, KNOWN, "PARTIAL_UPDATE"],
  ["a new file at the top", analysed({ new: ["y.ts"] }), 100, KNOWN, "PARTIAL_UPDATE"],
  ["a new directory", analysed({ new: ["web/y.ts"] }), 100, KNOWN, "ARCHITECTURE_UPDATE"],
  ["a deleted directory", analysed({ gone: ["old/y.ts"] }), 100, KNOWN, "ARCHITECTURE_UPDATE"],
  ["no known files given", analysed({ new: ["src/y.ts"] }), 100, [], "ARCHITECTURE_UPDATE"],
];

for (const [title, analysis, total, known, action] of RULE) {
  test(`classifyUpdate: ${title} → ${action}`, () => {
    const decision = classifyUpdate(analysis, total, known);
    const rerun = action === "ARCHITECTURE_UPDATE" || action === "FULL_UPDATE";
    assert.deepEqual(
      [decision.action, decision.rerunArchitecture, decision.rerunTour, decision.filesToReanalyze],
      [action, rerun, rerun, [...analysis.structurallyChangedFiles, ...analysis.newFiles]],
    );
    assert.notEqual(decision.reason, "");
  });
}

test("comparing changes neither side, and two lists in another order are equal", () => {
  const freeze = (one: FileFingerprint) => {
    for (const list of [...one.classes.flatMap((c) => [c.methods, c.properties]), one.imports[0]?.specifiers ?? []]) {
      Object.freeze(list.reverse());
    }
    return one;
  };
  assert.equal(compareFingerprints(freeze(entry()), freeze(entry())).changeLevel, "COSMETIC");
});
