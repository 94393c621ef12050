/** How each language writes the same few things, so that one table of cases holds for all of them. */
export interface Dialect {
  path: string;
  /** A file around these parts. */
  file(...parts: string[]): string;
  /** A function with these statements. */
  fn(name: string, statements: readonly string[], params?: string): string;
  /** Absent where no declaration holds functions. */
  cls?(name: string, field: string, methods: Readonly<Record<string, readonly string[]>>): string;
  set(value: number): string;
  call(name: string): string;
  /** A statement that calls, if something holds. */
  branch(name: string): string;
  /** A statement that throws, or does what the language has in its place. */
  fail: string;
  comment: string;
  import(name: string): string;
  /** A statement of the file itself. */
  top(value: number): string;
}

const lines = (statements: readonly string[], indent = "  ") => statements.map((line) => `${indent}${line}`).join("\n");
const members = (
  methods: Readonly<Record<string, readonly string[]>>,
  render: (name: string, body: string) => string,
) =>
  Object.entries(methods)
    .map(([name, body]) => render(name, lines(body, "    ")))
    .join("\n");
const file = (...parts: string[]) => `${parts.filter((part) => part !== "").join("\n\n")}\n`;
/** What most languages with semicolons and braces share. */
const braces = {
  file,
  set: (value: number) => `x = ${value};`,
  call: (name: string) => `${name}(a);`,
  branch: (name: string) => `if (a) { ${name}(a); }`,
  comment: "// note",
};

const ecmascript = (path: string): Dialect => ({
  ...braces,
  path,
  fn: (name, body, params = "a") => `export function ${name}(${params}) {\n${lines(body)}\n}`,
  cls: (name, field, methods) =>
    `export class ${name} {\n  ${field} = 1;\n${members(methods, (one, body) => `  ${one}(a) {\n${body}\n  }`)}\n}`,
  fail: 'throw new Error("no");',
  import: (name) => `import { ${name} } from "./other.js";`,
  top: (value) => `start(${value});`,
});

const java = (methods: Readonly<Record<string, readonly string[]>>) =>
  members(methods, (one, body) => `  public void ${one}(int a) {\n${body}\n  }`);

const cLike = (path: string): Dialect => ({
  ...braces,
  path,
  fn: (name, body, params = "int a") => `void ${name}(${params}) {\n${lines(body)}\n}`,
  fail: "abort();",
  import: (name) => `#include "${name}.h"`,
  top: (value) => `int start = ${value};`,
});

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  typescript: ecmascript("a.ts"),
  tsx: ecmascript("a.tsx"),
  javascript: ecmascript("a.js"),
  python: {
    path: "a.py",
    file,
    fn: (name, body, params = "a") => `def ${name}(${params}):\n${lines(body)}`,
    cls: (name, field, methods) =>
      `class ${name}:\n  ${field} = 1\n${members(methods, (one, body) => `  def ${one}(self, a):\n${body}`)}`,
    set: (value) => `x = ${value}`,
    call: (name) => `${name}(a)`,
    branch: (name) => `if a: ${name}(a)`,
    fail: 'raise ValueError("no")',
    comment: "# note",
    import: (name) => `from other import ${name}`,
    top: (value) => `start(${value})`,
  },
  go: {
    ...braces,
    path: "a.go",
    file: (...parts) => `package p\n\n${file(...parts)}`,
    fn: (name, body, params = "a int") => `func ${name}(${params}) {\n${lines(body)}\n}`,
    cls: (name, field, methods) =>
      `type ${name} struct {\n  ${field} int\n}\n${members(methods, (one, body) => `func (s *${name}) ${one}(a int) {\n${body}\n}`)}`,
    branch: (name) => `if a > 0 { ${name}(a) }`,
    fail: 'panic("no")',
    import: (name) => `import "${name}"`,
    top: (value) => `var start = run(${value})`,
  },
  rust: {
    ...braces,
    path: "a.rs",
    fn: (name, body, params = "a: i32") => `pub fn ${name}(${params}) {\n${lines(body)}\n}`,
    cls: (name, field, methods) =>
      `pub struct ${name} { ${field}: i32 }\nimpl ${name} {\n${members(methods, (one, body) => `  pub fn ${one}(&self, a: i32) {\n${body}\n  }`)}\n}`,
    branch: (name) => `if a > 0 { ${name}(a); }`,
    fail: 'panic!("no");',
    import: (name) => `use other::${name};`,
    top: (value) => `static START: i32 = ${value};`,
  },
  java: {
    ...braces,
    path: "A.java",
    fn: (name, body, params = "int a") => `class Holder_${name} { void ${name}(${params}) {\n${lines(body)}\n} }`,
    cls: (name, field, methods) => `public class ${name} {\n  int ${field} = 1;\n${java(methods)}\n}`,
    fail: 'throw new RuntimeException("no");',
    import: (name) => `import other.${name};`,
    top: () => "",
  },
  kotlin: {
    path: "a.kt",
    file,
    fn: (name, body, params = "a: Int") => `fun ${name}(${params}) {\n${lines(body)}\n}`,
    cls: (name, field, methods) =>
      `class ${name} {\n  var ${field} = 1\n${members(methods, (one, body) => `  fun ${one}(a: Int) {\n${body}\n  }`)}\n}`,
    set: (value) => `x = ${value}`,
    call: (name) => `${name}(a)`,
    branch: (name) => `if (a > 0) { ${name}(a) }`,
    fail: 'throw Exception("no")',
    comment: "// note",
    import: (name) => `import other.${name}`,
    top: (value) => `private val start = run(${value})`,
  },
  c: cLike("a.c"),
  cpp: {
    ...cLike("a.cpp"),
    cls: (name, field, methods) =>
      `class ${name} {\npublic:\n  int ${field};\n${members(methods, (one, body) => `  void ${one}(int a) {\n${body}\n  }`)}\n};`,
    fail: 'throw Error("no");',
  },
  csharp: {
    ...braces,
    path: "A.cs",
    fn: (name, body, params = "int a") => `class Holder_${name} { void ${name}(${params}) {\n${lines(body)}\n} }`,
    cls: (name, field, methods) => `public class ${name} {\n  int ${field} = 1;\n${java(methods)}\n}`,
    fail: 'throw new Exception("no");',
    import: (name) => `using ${name};`,
    top: () => "",
  },
  ruby: {
    path: "a.rb",
    file,
    fn: (name, body, params = "a") => `def ${name}(${params})\n${lines(body)}\nend`,
    cls: (name, field, methods) =>
      `class ${name}\n  attr_reader :${field}\n${members(methods, (one, body) => `  def ${one}(a)\n${body}\n  end`)}\nend`,
    set: (value) => `x = ${value}`,
    call: (name) => `${name}(a)`,
    branch: (name) => `if a then ${name}(a) end`,
    fail: 'raise "no"',
    comment: "# note",
    import: (name) => `require "${name}"`,
    top: (value) => `start(${value})`,
  },
  php: {
    path: "a.php",
    file: (...parts) => `<?php\n${file(...parts)}`,
    fn: (name, body, params = "$a") => `function ${name}(${params}) {\n${lines(body)}\n}`,
    cls: (name, field, methods) =>
      `class ${name} {\n  public $${field} = 1;\n${members(methods, (one, body) => `  public function ${one}($a) {\n${body}\n  }`)}\n}`,
    set: (value) => `$x = ${value};`,
    call: (name) => `${name}($a);`,
    branch: (name) => `if ($a) { ${name}($a); }`,
    fail: 'throw new Exception("no");',
    comment: "// note",
    import: (name) => `use Other\\${name};`,
    top: (value) => `start(${value});`,
  },
  swift: {
    path: "a.swift",
    file,
    fn: (name, body, params = "a: Int") => `func ${name}(${params}) {\n${lines(body)}\n}`,
    cls: (name, field, methods) =>
      `class ${name} {\n  var ${field} = 1\n${members(methods, (one, body) => `  func ${one}(a: Int) {\n${body}\n  }`)}\n}`,
    set: (value) => `x = ${value}`,
    call: (name) => `${name}(a)`,
    branch: (name) => `if a > 0 { ${name}(a) }`,
    fail: "throw Failure.no",
    comment: "// note",
    import: (name) => `import ${name}`,
    top: (value) => `start(${value})`,
  },
  scala: {
    path: "a.scala",
    file,
    fn: (name, body, params = "a: Int") =>
      `object Holder_${name} {\n  def ${name}(${params}): Unit = {\n${lines(body, "    ")}\n  }\n}`,
    cls: (name, field, methods) =>
      `class ${name} {\n  var ${field} = 1\n${members(methods, (one, body) => `  def ${one}(a: Int): Unit = {\n${body}\n  }`)}\n}`,
    set: (value) => `x = ${value}`,
    call: (name) => `${name}(a)`,
    branch: (name) => `if (a > 0) ${name}(a)`,
    fail: 'throw new Exception("no")',
    comment: "// note",
    import: (name) => `import other.${name}`,
    top: () => "",
  },
  lua: {
    path: "a.lua",
    file,
    fn: (name, body, params = "a") => `function ${name}(${params})\n${lines(body)}\nend`,
    set: (value) => `x = ${value}`,
    call: (name) => `${name}(a)`,
    branch: (name) => `if a then ${name}(a) end`,
    fail: 'error("no")',
    comment: "-- note",
    import: () => "",
    top: (value) => `start(${value})`,
  },
  dart: {
    ...braces,
    path: "a.dart",
    fn: (name, body, params = "int a") => `void ${name}(${params}) {\n${lines(body)}\n}`,
    cls: (name, field, methods) =>
      `class ${name} {\n  int ${field} = 1;\n${members(methods, (one, body) => `  void ${one}(int a) {\n${body}\n  }`)}\n}`,
    fail: "throw StateError('no');",
    import: (name) => `import '${name}.dart';`,
    top: (value) => `final start = run(${value});`,
  },
  bash: {
    path: "a.sh",
    file,
    fn: (name, body) => `${name}() {\n${lines(body)}\n}`,
    set: (value) => `x=${value}`,
    call: (name) => `${name} "$a"`,
    branch: (name) => `if [ "$a" ]; then ${name} "$a"; fi`,
    fail: "exit 1",
    comment: "# note",
    import: (name) => `source ./${name}.sh`,
    top: (value) => `start ${value}`,
  },
};
