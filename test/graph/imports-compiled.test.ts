import assert from "node:assert/strict";
import { test } from "node:test";
import { createResolver } from "../../src/graph/imports.js";
import { resolverFor } from "./support.js";

test("Go: a package is a directory below its module; local replacements count; tests do not", () => {
  const resolver = resolverFor({
    "go.mod":
      "module example.com/app // the root\n\ngo 1.22\nreplace (\n\texample.com/other v1.0.0 => ./third/other\n)\n",
    "tools/go.mod": "module example.com/app/tools\n",
    "main.go": "",
    "store/db.go": "",
    "store/cache.go": "",
    "store/db_test.go": "",
    "tools/gen/gen.go": "",
    "third/other/o.go": "",
  });
  const resolve = (source: string) => resolver.resolve("main.go", source);
  assert.deepEqual(resolve("example.com/app/store"), ["store/cache.go", "store/db.go"]);
  assert.deepEqual(resolve('"example.com/app/store"'), ["store/cache.go", "store/db.go"]);
  assert.deepEqual(resolve("example.com/app/tools/gen"), ["tools/gen/gen.go"]);
  assert.deepEqual(resolve("example.com/other"), ["third/other/o.go"]);
  assert.deepEqual(resolve("fmt"), []);
  assert.deepEqual(resolve("example.com/application"), []);
  assert.deepEqual(resolver.samePackage("store/db.go"), ["store/cache.go", "store/db_test.go"]);
});

test("Rust: mod, crate, super, self, and crates of the workspace", () => {
  const resolver = resolverFor({
    "Cargo.toml": '[workspace]\nmembers = ["util"]\n[package]\nname = "app"\n[dependencies]\nname = "not-this"\n',
    "util/Cargo.toml": '[package]\nversion = "1"\nname = "my-util"\n',
    "util/src/lib.rs": "",
    "util/src/text.rs": "",
    "src/main.rs": "",
    "src/net/mod.rs": "",
    "src/net/tcp.rs": "",
    "src/net/tcp/frame.rs": "",
    "src/config.rs": "",
    "tests/all.rs": "",
    "tests/common/mod.rs": "",
  });
  const from =
    (path: string) =>
    (source: string, specifiers: string[] = []) =>
      resolver.resolve(path, source, specifiers);
  assert.deepEqual(from("src/main.rs")("net"), ["src/net/mod.rs"]);
  assert.deepEqual(from("src/main.rs")("mod config"), ["src/config.rs"]);
  assert.deepEqual(from("src/net/mod.rs")("tcp"), ["src/net/tcp.rs"]);
  assert.deepEqual(from("src/net/tcp.rs")("frame"), ["src/net/tcp/frame.rs"]);
  assert.deepEqual(from("src/net/tcp/frame.rs")("crate::config::Config"), ["src/config.rs"]);
  assert.deepEqual(from("src/net/tcp/frame.rs")("crate", ["config", "net::tcp"]), ["src/config.rs", "src/net/mod.rs"]);
  assert.deepEqual(from("src/net/tcp/frame.rs")("super::Stream"), ["src/net/tcp.rs"]);
  assert.deepEqual(from("src/net/tcp.rs")("self::frame::Frame"), ["src/net/tcp/frame.rs"]);
  assert.deepEqual(from("src/net/tcp.rs")("super::super::config"), ["src/config.rs"]);
  assert.deepEqual(from("src/config.rs")("crate::run"), ["src/main.rs"]);
  assert.deepEqual(from("src/main.rs")("my_util::text::trim"), ["util/src/text.rs"]);
  assert.deepEqual(from("src/main.rs")("my_util"), ["util/src/lib.rs"]);
  assert.deepEqual(from("tests/all.rs")("common"), ["tests/common/mod.rs"]);
  assert.deepEqual(from("src/config.rs")("std::fs"), []);
  assert.deepEqual(from("src/net/tcp.rs")("super", ["Stream", "super"]), ["src/net/mod.rs"]);
  assert.deepEqual(from("util/src/text.rs")("regex::Regex"), []);
  assert.deepEqual(from("src/net/mod.rs")("std", ["fs"]), []);
  assert.deepEqual(from("src/config.rs")("serde", ["Serialize"]), []);
});

test("Java, Kotlin, Scala: packages are folders, classes are files", () => {
  const resolver = createResolver([
    "core/src/main/java/com/acme/Shape.java",
    "core/src/main/java/com/acme/io/Reader.java",
    "core/src/main/java/com/acme/io/Writer.java",
    "web/src/main/java/com/acme/Shape.java",
    "app/src/main/kotlin/ui/Screen.kt",
    "app/src/main/kotlin/App.kt",
    "s/com/acme/Run.scala",
  ]);
  const from =
    (path: string) =>
    (source: string, specifiers: string[] = []) =>
      resolver.resolve(path, source, specifiers);
  const reader = from("core/src/main/java/com/acme/io/Reader.java");
  assert.deepEqual(reader("com.acme.Shape"), ["core/src/main/java/com/acme/Shape.java"]);
  assert.deepEqual(from("web/src/main/java/com/acme/Web.java")("com.acme.Shape"), [
    "web/src/main/java/com/acme/Shape.java",
  ]);
  assert.deepEqual(reader("com.acme.Shape.Inner"), ["core/src/main/java/com/acme/Shape.java"]);
  assert.deepEqual(reader("static com.acme.Shape.area"), ["core/src/main/java/com/acme/Shape.java"]);
  assert.deepEqual(from("core/A.java")("com.acme.io.*").length, 2);
  assert.deepEqual(from("core/A.java")("com.acme.io", ["*"]).length, 2);
  assert.deepEqual(from("app/src/main/kotlin/App.kt")("com.acme.app.ui.Screen"), ["app/src/main/kotlin/ui/Screen.kt"]);
  assert.deepEqual(from("s/com/acme/Run.scala")("com.acme.io", ["Reader", "Writer => W"]).length, 2);
  assert.deepEqual(reader("java.util.List"), []);
  assert.deepEqual(resolver.samePackage("core/src/main/java/com/acme/io/Reader.java"), [
    "core/src/main/java/com/acme/io/Writer.java",
  ]);
});

test("C and C++: beside the file, then by the end of the path, the nearest of several", () => {
  const resolver = createResolver([
    "src/a.c",
    "src/a.h",
    "include/lib/util.h",
    "src/net/util.h",
    "other/util.h",
    "src/net/n.cpp",
  ]);
  const from = (path: string) => (source: string) => resolver.resolve(path, source);
  assert.deepEqual(from("src/a.c")("a.h"), ["src/a.h"]);
  assert.deepEqual(from("src/a.c")('"a.h"'), ["src/a.h"]);
  assert.deepEqual(from("src/a.c")("<lib/util.h>"), ["include/lib/util.h"]);
  assert.deepEqual(from("src/net/n.cpp")("../a.h"), ["src/a.h"]);
  assert.deepEqual(from("src/a.c")("util.h"), ["src/net/util.h"]);
  assert.deepEqual(from("src/a.c")("stdio.h"), []);
});

test("C#: a namespace is a project and its folders", () => {
  const resolver = createResolver([
    "src/Shop/Shop.csproj",
    "src/Shop/Models/Order.cs",
    "src/Shop/Program.cs",
    "lib/Acme/Text/Trim.cs",
  ]);
  const resolve = (source: string) => resolver.resolve("src/Shop/Program.cs", source);
  assert.deepEqual(resolve("Shop.Models"), ["src/Shop/Models/Order.cs"]);
  assert.deepEqual(resolve("using static Shop.Models;"), ["src/Shop/Models/Order.cs"]);
  assert.deepEqual(resolve("Acme.Text"), ["lib/Acme/Text/Trim.cs"]);
  assert.deepEqual(resolve("System"), []);
});
