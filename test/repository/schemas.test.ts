import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv, type ValidateFunction } from "ajv";
import { checkConfig, DEFAULTS } from "../../src/repository/config.js";
import { dist, makeRepo } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";

/** What the package carries for editors and for those who read the marker. */
function schema(name: string): ValidateFunction {
  const text = readFileSync(join(dist, "..", "schemas", `${name}.json`), "utf8");
  return new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(JSON.parse(text));
}

const accepts = (config: unknown) => {
  try {
    checkConfig(config, "x");
    return true;
  } catch {
    return false;
  }
};

test("the config's schema says what the check says", () => {
  const validate = schema("config");
  const right: unknown[] = [
    {},
    DEFAULTS,
    { $schema: "./node_modules/ua-hooks/schemas/config.json", mode: "inline" },
    { analyzer: { command: ["program", "argument"] } },
    { thresholds: { fullShare: 1 }, records: { autoApprove: ["human"] }, context: { every: 3 } },
  ];
  const wrong: unknown[] = [
    [],
    { mod: "inline" },
    { mode: "other" },
    { analyzer: { command: [] } },
    { analyzer: { command: ["x"], shell: true } },
    { thresholds: { fullShare: 0 } },
    { thresholds: { other: 1 } },
    { parseBudgetMs: 5000 },
    { leaseMinutes: 0 },
    { leaseMinutes: 1.5 },
    { include: "src" },
    { selfRepair: "yes" },
    { context: { every: "2" } },
  ];
  for (const config of right) {
    assert.ok(validate(config), `${JSON.stringify(config)}: ${JSON.stringify(validate.errors)}`);
    assert.ok(accepts(config), JSON.stringify(config));
  }
  for (const config of wrong) {
    assert.ok(!validate(config), JSON.stringify(config));
    assert.ok(!accepts(config), JSON.stringify(config));
  }
});

test("a key of the version before that never had an effect leaves a config valid, and is in no schema", () => {
  assert.deepEqual(checkConfig({ mode: "inline", graphWorktree: "main" }, "x"), { ...DEFAULTS, mode: "inline" });
  assert.equal(schema("config")({ graphWorktree: "main" }), false);
});

test("every key has a place in the schema, with the default that holds", () => {
  interface Property {
    default?: unknown;
    properties?: Record<string, Property>;
    $ref?: string;
  }
  const { properties, definitions } = JSON.parse(readFileSync(join(dist, "..", "schemas", "config.json"), "utf8")) as {
    properties: Record<string, Property>;
    definitions: Record<string, Property>;
  };
  const defaultOf = (property: Property): unknown => {
    if (property.properties === undefined)
      return (
        property.default ??
        (property.$ref === undefined ? null : definitions[property.$ref.split("/").at(-1) ?? ""]?.default)
      );
    return Object.fromEntries(Object.entries(property.properties).map(([key, inner]) => [key, defaultOf(inner)]));
  };
  const { $schema: _, ...keys } = properties;
  assert.deepEqual(Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, defaultOf(value)])), DEFAULTS);
});

test("a marker, pending, claimed and after a failed try, is as its schema says", (t) => {
  const validate = schema("pending");
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  repo.commit("changes", {
    "src/b.ts": "export function twice(other: number): number {\n  return other;\n}\n",
    "lib/new.py": "def f(x):\n    return x\n",
  });
  const fits = (marker: unknown) => assert.ok(validate(marker), JSON.stringify(validate.errors));
  fits(repo.marker());
  fits(repo.uaJson("pending"));
  fits(repo.uaJson("claim"));
  repo.ua("release", "--error", "no network");
  fits(repo.marker());
  assert.equal(repo.marker()?.lastError, "no network");
  repo.git("checkout", "-q", "--detach");
  fits(repo.uaJson("pending"));
});
