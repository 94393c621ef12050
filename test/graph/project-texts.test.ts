import assert from "node:assert/strict";
import { test } from "node:test";
import { projectTextFiles, projectTexts } from "../../src/graph/project-texts.js";

const of = (files: Record<string, string>) => projectTexts(new Map(Object.entries(files)));

const MANIFESTS: [file: string, text: string, description: string | undefined, frameworks: string[]][] = [
  [
    "package.json",
    '{ "name": "x", "description": "Small tools. And more.", "dependencies": { "react": "1", "left-pad": "1" }, "devDependencies": { "express": "*" } }',
    "Small tools.",
    ["Express", "React"],
  ],
  [
    "pyproject.toml",
    '[tool.other]\ndescription = "wrong"\n[project]\nname = "flask-thing"\ndescription = "A web \\"thing\\""\ndependencies = ["Django>=4", "flask-login"]\n',
    'A web "thing"',
    ["Django"],
  ],
  [
    "Cargo.toml",
    '[package]\nname = "x"\ndescription = \'A fast parser.\'\n[dependencies]\naxum = "1"\n',
    "A fast parser.",
    ["Axum"],
  ],
  [
    "go.mod",
    "module example.com/x\nrequire github.com/gin-gonic/gin v1.9.0\n// github.com/gofiber/fiber\n",
    undefined,
    ["Gin"],
  ],
  ["composer.json", '{ "description": "A shop", "require": { "laravel/framework": "^11" } }', "A shop", ["Laravel"]],
  [
    "x.gemspec",
    "Gem::Specification.new do |s|\n  s.summary = 'Queues for Ruby'\n  s.add_dependency 'rails'\nend\n",
    "Queues for Ruby",
    ["Rails"],
  ],
  [
    "pom.xml",
    "<project><description>A bank</description><artifactId>spring-boot-starter</artifactId></project>",
    "A bank",
    ["Spring Boot"],
  ],
  ["setup.cfg", "[metadata]\nname = x\ndescription = Reads things\n", "Reads things", []],
  ["setup.py", 'setup(name="x", description="Writes things")\n', "Writes things", []],
  ["package.json", "{ broken", undefined, []],
  ["package.json", '{ "description": 7, "dependencies": ["react"] }', undefined, []],
];

for (const [file, text, description, frameworks] of MANIFESTS) {
  test(`${file} says what the project is and what it is built with: ${description ?? frameworks.join()}`, () => {
    const found = of({ [file]: text });
    assert.deepEqual([found.description, found.frameworks], [description, frameworks]);
  });
}

test("a README: the first sentence that is none of title, badge, picture, table, quotation and HTML", () => {
  const readme = [
    "<h1 align=center>x</h1>",
    "",
    "# x [![build](a.svg)](b)",
    "[![npm](a.svg)](b) ![logo](c.png)",
    "> quoted",
    "| a | b |",
    "",
    "Keeps [things](https://example.com) in order.",
    "And more.",
  ].join("\n");
  const found = of({
    "README.md": readme,
    "src/readme.markdown": "Sources\n=======\n\nWhere it is all done. Yes.\n",
    "docs/README": "",
  });
  assert.equal(found.description, "Keeps things in order.");
  assert.deepEqual([...found.directories], [["src", "Where it is all done."]]);
  assert.equal(of({ "README.md": readme, "package.json": '{ "description": "Order." }' }).description, "Order.");
});

test("what is read: READMEs of the root and of top directories, manifests not too deep, none of dependencies", () => {
  const paths = ["README.md", "src/README.rst", "src/a/README.md", "package.json", "packages/a/package.json"];
  const others = [
    "a/b/c/package.json",
    "node_modules/x/package.json",
    "src/a.ts",
    "go.mod",
    "x.csproj",
    "README.md.txt",
  ];
  assert.deepEqual(projectTextFiles([...paths, ...others]), [
    ...["README.md", "src/README.rst", "go.mod", "package.json", "x.csproj", "packages/a/package.json"],
  ]);
  const many = Array.from({ length: 200 }, (_, at) => `packages/${at}/package.json`);
  assert.equal(projectTextFiles(many).length, 50);
});
