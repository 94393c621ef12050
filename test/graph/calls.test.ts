import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import type { FileFingerprint } from "../../src/fingerprint/types.js";
import { edgeContext, edgesOfFile } from "../../src/graph/build.js";
import { resolverFor } from "./support.js";

/** `caller → callee`, as `path:name`, for every call edge of a project. */
async function callsOf(files: Record<string, string>): Promise<string[]> {
  const fingerprints = new Map<string, FileFingerprint>();
  for (const [path, text] of Object.entries(files)) {
    const print = await fingerprintText(path, Buffer.from(text));
    if (print.hasStructuralAnalysis) fingerprints.set(path, print);
  }
  const context = edgeContext(fingerprints, resolverFor(files));
  const edges = [...fingerprints].flatMap(([path, print]) => edgesOfFile(path, print, context));
  const short = (id: string) => id.slice(id.indexOf(":") + 1);
  return edges
    .filter(({ type }) => type === "calls")
    .map(({ source, target }) => `${short(source)} → ${short(target)}`)
    .sort();
}

interface Case {
  files: Record<string, string>;
  /** All of them: what is not here must not be there. */
  calls: string[];
}

const typescript: Case = {
  files: {
    "lib/text.ts": "export function trim() {}\nexport class Cutter { static make() {} run() { this.cut(); } cut() {} }",
    "lib/more.ts": "export default function more() { inner(); }\nfunction inner() {}",
    "lib/index.ts": 'export { trim as clip } from "./text";\nexport * from "./text";',
    "app.ts": [
      'import { clip, Cutter } from "./lib";',
      'import * as text from "./lib/text";',
      'import more from "./lib/more";',
      "const items = [];",
      "function local() {}",
      "export function all(given) {",
      "  clip(); text.trim(); new Cutter(); Cutter.make(); more(); local(); items.push(1); given(); absent();",
      "}",
      "function shadows(local) { local(); const more = () => 1; more(); }",
      "export class Fine extends Cutter { m() { this.cut(); [1].map((x) => local(x)); } }",
      "namespace N { export function a() { b(); } export function b() {} }",
    ].join("\n"),
  },
  calls: [
    "app.ts:Fine.m → app.ts:local",
    "app.ts:Fine.m → lib/text.ts:Cutter.cut",
    "app.ts:N.a → app.ts:N.b",
    "app.ts:all → app.ts:local",
    "app.ts:all → lib/more.ts:more",
    "app.ts:all → lib/text.ts:Cutter",
    "app.ts:all → lib/text.ts:Cutter.make",
    "app.ts:all → lib/text.ts:trim",
    "lib/more.ts:more → lib/more.ts:inner",
    "lib/text.ts:Cutter.run → lib/text.ts:Cutter.cut",
  ],
};

const cases: Record<string, Case> = {
  TypeScript: typescript,
  TSX: {
    files: {
      "a.tsx": 'import { go } from "./b";\nexport const App = () => { go(); return <p onClick={() => go()} />; };',
      "b.ts": "export const go = () => 1;",
    },
    calls: ["a.tsx:App → b.ts:go"],
  },
  JavaScript: {
    files: {
      "a.js": 'const { go } = require("./b");\nfunction f({ x }, cb) { go(); x(); cb(); g(); }\nfunction g() {}',
      "b.js": "function go() {}\nmodule.exports = { go };",
    },
    calls: ["a.js:f → a.js:g", "a.js:f → b.js:go"],
  },
  Python: {
    files: {
      "pkg/__init__.py": "from .work import start",
      "pkg/work.py":
        "def start():\n    helper()\n\ndef helper(): pass\n\nclass Job:\n    def go(self):\n        self.stop()\n    def stop(self): pass\n",
      "main.py": [
        "import pkg.work",
        "from pkg import work as w, start",
        "from pkg.work import Job",
        "def f(cb):",
        "    pkg.work.helper()",
        "    w.helper()",
        "    start()",
        "    Job()",
        "    cb()",
        "    os.path.join()",
        "def g(start):",
        "    start()",
      ].join("\n"),
    },
    calls: [
      "main.py:f → pkg/work.py:Job",
      "main.py:f → pkg/work.py:helper",
      "main.py:f → pkg/work.py:start",
      "pkg/work.py:Job.go → pkg/work.py:Job.stop",
      "pkg/work.py:start → pkg/work.py:helper",
    ],
  },
  Go: {
    files: {
      "go.mod": "module example.com/m",
      "main.go":
        'package main\nimport "example.com/m/store"\nfunc main() { store.Open(); local(); other(); x := 1; x(); fmt.Println() }\nfunc local() {}',
      "other.go": "package main\nfunc other() {}",
      "store/open.go": "package store\nfunc Open() { close() }",
      "store/close.go": "package store\nfunc close() {}",
    },
    calls: [
      "main.go:main → main.go:local",
      "main.go:main → other.go:other",
      "main.go:main → store/open.go:Open",
      "store/open.go:Open → store/close.go:close",
    ],
  },
  Rust: {
    files: {
      "src/main.rs":
        "mod util;\nuse crate::util::{help, Tool};\nfn main() { help(); util::deep(); Tool::new(); crate::util::deep(); own(); self::own(); }\nfn own() {}",
      "src/util.rs":
        "pub fn help() {}\npub fn deep() {}\npub struct Tool;\nimpl Tool { pub fn new() { Self::init(); } fn init() {} fn m(&self) { self.n(); } fn n(&self) {} }",
    },
    calls: [
      "src/main.rs:main → src/main.rs:own",
      "src/main.rs:main → src/util.rs:Tool.new",
      "src/main.rs:main → src/util.rs:deep",
      "src/main.rs:main → src/util.rs:help",
      "src/util.rs:Tool.m → src/util.rs:Tool.n",
      "src/util.rs:Tool.new → src/util.rs:Tool.init",
    ],
  },
  Java: {
    files: {
      "a/Main.java":
        "package a;\nimport b.Util;\nimport static b.Util.twice;\nclass Main extends Base {\n  void run() { help(); this.help(); Util.once(); twice(); new Other(); above(); items.add(1); }\n  void help() {}\n}",
      "a/Other.java": "package a;\nclass Other { }",
      "a/Base.java": "package a;\nclass Base { void above() {} }",
      "b/Util.java": "package b;\npublic class Util { public static void once() {} public static void twice() {} }",
    },
    calls: [
      "a/Main.java:Main.run → a/Base.java:Base.above",
      "a/Main.java:Main.run → a/Main.java:Main.help",
      "a/Main.java:Main.run → a/Other.java:Other",
      "a/Main.java:Main.run → b/Util.java:Util.once",
      "a/Main.java:Main.run → b/Util.java:Util.twice",
    ],
  },
  Kotlin: {
    files: {
      "a/Main.kt":
        "package a\n\nimport b.Tool\n\nfun run(cb: () -> Unit) {\n  help()\n  Tool()\n  cb()\n  near()\n}\n\nfun help() {}\n\nclass K {\n  fun one() { two() }\n  fun two() {}\n}\n",
      "a/Near.kt": "package a\n\nfun near() {}\n",
      "b/Tool.kt": "package b\n\nclass Tool {\n  fun go() {}\n}\n",
    },
    calls: [
      "a/Main.kt:K.one → a/Main.kt:K.two",
      "a/Main.kt:run → a/Main.kt:help",
      "a/Main.kt:run → a/Near.kt:near",
      "a/Main.kt:run → b/Tool.kt:Tool",
    ],
  },
  C: {
    files: {
      "main.c":
        '#include "util.h"\nstatic void own(void) {}\nint main(int (*cb)(int)) { help(1); own(); cb(2); printf("x"); s->own(); return 0; }\n',
      "util.h": "int help(int a);\nint cb(int a);\n",
    },
    calls: ["main.c:main → main.c:own", "main.c:main → util.h:help"],
  },
  "C++": {
    files: {
      "main.cpp":
        '#include "tool.hpp"\nint own() { return 1; }\nint main() { own(); geo::area(); new geo::Tool(); geo::Tool::make(); std::move(1); }\n',
      "tool.hpp":
        "namespace geo {\nint area();\nclass Tool {\n public:\n  static int make() { return area(); }\n  void go() { this->stop(); }\n  void stop() {}\n};\n}\n",
    },
    calls: [
      "main.cpp:main → main.cpp:own",
      "main.cpp:main → tool.hpp:geo.Tool",
      "main.cpp:main → tool.hpp:geo.Tool.make",
      "main.cpp:main → tool.hpp:geo.area",
      "tool.hpp:geo.Tool.go → tool.hpp:geo.Tool.stop",
      "tool.hpp:geo.Tool.make → tool.hpp:geo.area",
    ],
  },
  "C#": {
    files: {
      "App/App.csproj": "<Project/>",
      "App/Main.cs":
        "using App.Lib;\nclass Main { void Run() { Help(); this.Help(); Tool.Make(); new Tool(); Near.Go(); list.Add(1); } void Help() {} }",
      "App/Near.cs": "class Near { public static void Go() {} }",
      "App/Lib/Tool.cs": "public class Tool { public static void Make() {} }",
    },
    calls: [
      "App/Main.cs:Main.Run → App/Lib/Tool.cs:Tool",
      "App/Main.cs:Main.Run → App/Lib/Tool.cs:Tool.Make",
      "App/Main.cs:Main.Run → App/Main.cs:Main.Help",
      "App/Main.cs:Main.Run → App/Near.cs:Near.Go",
    ],
  },
  Ruby: {
    files: {
      "main.rb":
        'require_relative "tool"\nclass Main\n  def run\n    help(1)\n    self.help\n    Tool.new(1)\n    Tool.make(2)\n    items.push(1)\n  end\n  def help(a = 1)\n  end\nend\n',
      "tool.rb": "class Tool\n  def self.make(a)\n  end\nend\n",
    },
    calls: [
      "main.rb:Main.run → main.rb:Main.help",
      "main.rb:Main.run → tool.rb:Tool",
      "main.rb:Main.run → tool.rb:Tool.make",
    ],
  },
  PHP: {
    files: {
      "main.php":
        "<?php\nrequire 'lib.php';\nuse App\\Tool;\nuse App\\Other as Alias;\nclass Main { function run() { $this->help(); self::stat(); lib(); new Tool(); Tool::make(); new Alias(); $x->y(); $f(); } function help() {} static function stat() {} }",
      "lib.php": "<?php\nfunction lib() {}",
      "App/Tool.php": "<?php\nnamespace App;\nclass Tool { static function make() {} }",
      "App/Other.php": "<?php\nnamespace App;\nclass Other { }",
    },
    calls: [
      "main.php:Main.run → App/Other.php:Other",
      "main.php:Main.run → App/Tool.php:Tool",
      "main.php:Main.run → App/Tool.php:Tool.make",
      "main.php:Main.run → lib.php:lib",
      "main.php:Main.run → main.php:Main.help",
      "main.php:Main.run → main.php:Main.stat",
    ],
  },
  Swift: {
    files: {
      "Sources/App/Main.swift":
        "func run(cb: () -> Void) {\n  help()\n  Tool()\n  Tool.make()\n  cb()\n}\nfunc help() {}\nclass K {\n  func one() { self.two(); two() }\n  func two() {}\n}\n",
      "Sources/App/Tool.swift": "struct Tool {\n  static func make() {}\n}\n",
    },
    calls: [
      "Sources/App/Main.swift:K.one → Sources/App/Main.swift:K.two",
      "Sources/App/Main.swift:run → Sources/App/Main.swift:help",
      "Sources/App/Main.swift:run → Sources/App/Tool.swift:Tool",
      "Sources/App/Main.swift:run → Sources/App/Tool.swift:Tool.make",
    ],
  },
  Scala: {
    files: {
      "a/Main.scala":
        "package a\nimport b.Tool\nobject Main {\n  def run(cb: Int => Int) = { help(1); Tool.make(1); new Tool(); cb(1); this.help(2) }\n  def help(x: Int) = x\n}\n",
      "b/Tool.scala": "package b\nclass Tool\nobject Tool { def make(x: Int) = x }\n",
    },
    calls: [
      "a/Main.scala:Main.run → a/Main.scala:Main.help",
      "a/Main.scala:Main.run → b/Tool.scala:Tool",
      "a/Main.scala:Main.run → b/Tool.scala:Tool.make",
    ],
  },
  Lua: {
    files: {
      "main.lua":
        'local tool = require("lib.tool")\nlocal function own() end\nfunction run(cb) own(); tool.make(); cb(); print(1) end\n',
      "lib/tool.lua": "local M = {}\nfunction M.make() M.more() end\nfunction M.more() end\nreturn M\n",
    },
    calls: [
      "lib/tool.lua:M.make → lib/tool.lua:M.more",
      "main.lua:run → lib/tool.lua:M.make",
      "main.lua:run → main.lua:own",
    ],
  },
  Bash: {
    files: {
      "main.sh": "source ./lib.sh\nown() { :; }\nrun() { own 1; x=$(lib::help 2); echo done; }\n",
      "lib.sh": "lib::help() { :; }\n",
    },
    calls: ["main.sh:run → lib.sh:lib::help", "main.sh:run → main.sh:own"],
  },
  Dart: {
    files: {
      "pubspec.yaml": "name: shop\n",
      "lib/order.dart":
        "class Order {\n  Order();\n  static int make() => 1;\n  int one() { return two(); }\n  int two() => 2;\n}\nint total() => 1;\n",
      "lib/text.dart": "String trim(String a) => a;\n",
      "bin/main.dart":
        "import 'package:shop/order.dart';\nimport '../lib/text.dart' as text;\nvoid main() {\n  total();\n  Order.make();\n  text.trim('a');\n  help();\n}\nvoid help() {}\n",
    },
    calls: [
      "bin/main.dart:main → bin/main.dart:help",
      "bin/main.dart:main → lib/order.dart:Order.make",
      "bin/main.dart:main → lib/order.dart:total",
      "bin/main.dart:main → lib/text.dart:trim",
      "lib/order.dart:Order.one → lib/order.dart:Order.two",
    ],
  },
};

describe("calls lead where their names do", () => {
  for (const [language, { files, calls }] of Object.entries(cases)) {
    it(language, async () => assert.deepEqual(await callsOf(files), calls));
  }
});

describe("a call", () => {
  it("that could mean several things means none", async () => {
    const files = {
      "go.mod": "module m",
      "a.go": "package m\nfunc f() { g() }",
      "a_linux.go": "package m\nfunc g() {}",
      "a_darwin.go": "package m\nfunc g() {}",
    };
    assert.deepEqual(await callsOf(files), []);
    const { "a_darwin.go": _gone, ...one } = files;
    assert.deepEqual(await callsOf(one), ["a.go:f → a_linux.go:g"]);
  });

  it("is named once in what is stored, however often it is made, and is no part of the interface", async () => {
    const text = (calls: string) => `function g() {}\nfunction h() {}\nexport function f() {\n  ${calls}\n}\n`;
    const read = async (calls: string) => await fingerprintText("a.ts", Buffer.from(text(calls)));
    const before = await read("g(); g(); [].push(g());");
    assert.deepEqual(before.functions.find(({ name }) => name === "f")?.calls, ["g"]);
    const { compareFingerprints } = await import("../../src/fingerprint/compare.js");
    assert.equal(compareFingerprints(before, await read("h(); h(); [].push(h());")).drift, "behaviour");
  });
});
