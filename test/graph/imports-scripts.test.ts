import assert from "node:assert/strict";
import { test } from "node:test";
import { createResolver } from "../../src/graph/imports.js";
import { resolverFor } from "./support.js";

test("Ruby: relative, or from a folder on the load path", () => {
  const resolver = createResolver([
    "lib/shop.rb",
    "lib/shop/order.rb",
    "app/models/user.rb",
    "docs/json.rb",
    "spec/order_spec.rb",
  ]);
  const from = (path: string) => (source: string) => resolver.resolve(path, source);
  assert.deepEqual(from("lib/shop.rb")("./shop/order"), ["lib/shop/order.rb"]);
  assert.deepEqual(from("lib/shop.rb")("shop/order"), ["lib/shop/order.rb"]);
  assert.deepEqual(from("spec/order_spec.rb")("shop"), ["lib/shop.rb"]);
  assert.deepEqual(from("spec/order_spec.rb")("../lib/shop"), ["lib/shop.rb"]);
  assert.deepEqual(from("spec/order_spec.rb")("user"), ["app/models/user.rb"]);
  assert.deepEqual(from("spec/order_spec.rb")("json"), []);
});

test("PHP: required paths, psr-4 roots, and folders that say the namespace", () => {
  const resolver = resolverFor({
    "composer.json": '{"autoload":{"psr-4":{"App\\\\":"src/","App\\\\Deep\\\\":["deep"]}}}',
    "src/Models/User.php": "",
    "deep/Thing.php": "",
    "legacy/Util/Text.php": "",
    "inc/head.php": "",
    "index.php": "",
  });
  const resolve = (source: string) => resolver.resolve("index.php", source);
  assert.deepEqual(resolve("App\\Models\\User"), ["src/Models/User.php"]);
  assert.deepEqual(resolve("\\App\\Models\\User"), ["src/Models/User.php"]);
  assert.deepEqual(resolve("App\\Deep\\Thing"), ["deep/Thing.php"]);
  assert.deepEqual(resolve("Legacy\\Util\\Text"), ["legacy/Util/Text.php"]);
  assert.deepEqual(resolve("inc/head.php"), ["inc/head.php"]);
  assert.deepEqual(resolve("__DIR__ . '/inc/head.php"), ["inc/head.php"]);
  assert.deepEqual(resolve("Exception"), []);
});

test("Lua: dots are folders", () => {
  const resolver = createResolver(["lua/app/init.lua", "lua/app/util.lua", "main.lua", "conf.lua"]);
  assert.deepEqual(resolver.resolve("main.lua", "conf"), ["conf.lua"]);
  assert.deepEqual(resolver.resolve("lua/app/init.lua", "app.util"), ["lua/app/util.lua"]);
  assert.deepEqual(resolver.resolve("lua/app/util.lua", "app"), ["lua/app/init.lua"]);
  assert.deepEqual(resolver.resolve("main.lua", "app.util"), ["lua/app/util.lua"]);
  assert.deepEqual(resolver.resolve("main.lua", "socket"), []);
});

test("Bash: a sourced path, whatever directory a variable stands for", () => {
  const resolver = createResolver(["bin/run.sh", "bin/env.sh", "lib/log.sh"]);
  const resolve = (source: string) => resolver.resolve("bin/run.sh", source);
  assert.deepEqual(resolve("./env.sh"), ["bin/env.sh"]);
  assert.deepEqual(resolve("lib/log.sh"), ["lib/log.sh"]);
  assert.deepEqual(resolve('"$(dirname "$0")/env.sh"'), ["bin/env.sh"]);
  assert.deepEqual(resolve("$ROOT/lib/log.sh"), ["lib/log.sh"]);
  assert.deepEqual(resolve("$" + "{HERE}/../lib/log.sh"), ["lib/log.sh"]);
  assert.deepEqual(resolve("/etc/profile"), []);
  assert.deepEqual(resolve("$FILE"), []);
});

test("Swift: names of the same folder, no edges for whole modules", () => {
  const resolver = createResolver(["Sources/App/A.swift", "Sources/App/B.swift"]);
  assert.deepEqual(resolver.resolve("Sources/App/A.swift", "App"), []);
  assert.deepEqual(resolver.samePackage("Sources/App/A.swift"), ["Sources/App/B.swift"]);
});

test("Dart: a path, or a package of this project", () => {
  const resolver = resolverFor({
    "shop/pubspec.yaml": "name: shop\n",
    "shop/lib/shop.dart": "",
    "shop/lib/src/order.dart": "",
    "app/pubspec.yaml": "name: 'app'\n",
    "app/bin/main.dart": "",
  });
  const from = (path: string) => (source: string) => resolver.resolve(path, source);
  assert.deepEqual(from("shop/lib/shop.dart")("src/order.dart"), ["shop/lib/src/order.dart"]);
  assert.deepEqual(from("shop/lib/src/order.dart")("../shop.dart"), ["shop/lib/shop.dart"]);
  assert.deepEqual(from("app/bin/main.dart")("package:shop/src/order.dart"), ["shop/lib/src/order.dart"]);
  assert.deepEqual(from("app/bin/main.dart")("package:path/path.dart"), []);
  assert.deepEqual(from("app/bin/main.dart")("dart:io"), []);
});

test("HCL: a module is the files of a folder", () => {
  const resolver = createResolver([
    "main.tf",
    "modules/net/main.tf",
    "modules/net/outputs.tf",
    "modules/net/README.md",
  ]);
  const all = ["modules/net/main.tf", "modules/net/outputs.tf"];
  assert.deepEqual(resolver.resolve("main.tf", "./modules/net"), all);
  assert.deepEqual(resolver.resolve("modules/net/main.tf", "../../"), ["main.tf"]);
  assert.deepEqual(resolver.resolve("main.tf", "terraform-aws-modules/vpc/aws"), []);
});
