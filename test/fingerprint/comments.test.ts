import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blankComments, blankInLines } from "../../src/fingerprint/comments.js";
import { type CommentLexer, findComments } from "../../src/fingerprint/find-comments.js";
import { rules as c } from "../../src/fingerprint/languages/c.js";
import { rules as kotlin } from "../../src/fingerprint/languages/kotlin.js";
import { rules as scala } from "../../src/fingerprint/languages/scala.js";
import { rules as swift } from "../../src/fingerprint/languages/swift.js";

const lexerOf = ({ tokens }: { tokens: { lexer?: CommentLexer } }): CommentLexer => {
  assert.ok(tokens.lexer !== undefined);
  return tokens.lexer;
};
const LEXERS = { c: lexerOf(c), kotlin: lexerOf(kotlin), scala: lexerOf(scala), swift: lexerOf(swift) };

/** `⟨…⟩` marks what must be found. */
const CASES: [language: keyof typeof LEXERS, text: string][] = [
  ["kotlin", "val a = 1 ⟨// one⟩\nval b = 2 ⟨/* two */⟩ + 3"],
  ["kotlin", "⟨/* outer /* inner */ still */⟩ val a = 1"],
  ["kotlin", 'val url = "http://a/*b*/" ⟨// c⟩'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Kotlin's
  ["kotlin", 'val a = "${ f(" // no ") ⟨/* yes */⟩ } // no"'],
  ["kotlin", 'val a = """ // no " \\""" ⟨// yes⟩'],
  ["kotlin", 'val a = """"quoted"""" ⟨// yes⟩'],
  ["kotlin", "val quote = '\"' ⟨// yes⟩\nval slash = '\\'' ⟨// yes⟩"],
  ["kotlin", "fun `a // b`() = 1 ⟨// yes⟩"],
  ["kotlin", "val a = b /* never closed"],
  ["kotlin", 'val a = "never closed // no\nval b = 1 ⟨// yes⟩'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Scala's
  ["scala", 'val a = s"${b ⟨/* yes */⟩ } // no" ⟨// yes⟩'],
  ["scala", 'val a = "${" ⟨// yes⟩'],
  ["scala", "val a = 'symbol ⟨// yes⟩\nval b = 'c' ⟨// yes⟩"],
  ["scala", "val a = <a href=x>http://b</a>"],
  ["swift", 'let a = "\\(f(" // no ")) // no" ⟨// yes⟩'],
  ["swift", 'let a = #"\\( // no "quoted" "# ⟨// yes⟩'],
  ["swift", 'let a = #"\\#(b ⟨/* yes */⟩ + c) // no"# ⟨// yes⟩'],
  ["swift", "let a = #/ // no /# ⟨// yes⟩"],
  ["swift", 'let a = """\n // no \\"""\n """ ⟨// yes⟩'],
  ["swift", "let a = b ? /[/*]/ : c"],
  ["c", 'char *a = "http://b /* no */"; ⟨// yes⟩\nint b ⟨/* one /* two */⟩ = 1;'],
  ["c", "int a; ⟨// one \\\nstill one⟩\nint b;"],
  ["c", 'auto a = R"x( // no )" /* no */ )x"; ⟨// yes⟩'],
  ["c", "#error don't ⟨// yes⟩\nchar a = '\"'; ⟨// yes⟩"],
  ["c", "#define URL http://no\nint a = b /*left to the grammar"],
  ["c", 'puts("" "a // no" ""); ⟨// yes⟩'],
];

describe("comments", () => {
  for (const [language, marked] of CASES) {
    it(`${language}: ${marked.replaceAll("\n", "⏎")}`, () => {
      const text = marked.replace(/[⟨⟩]/g, "");
      const wanted = [...marked.matchAll(/⟨(.*?)⟩/gs)].map(([, comment]) => comment);
      const found = findComments(text, LEXERS[language]).map(([start, end]) => text.slice(start, end));
      assert.deepEqual(found, wanted);
    });
  }

  it("leave blanks, and all else where it was", () => {
    const text = "a /* b */ c // d\n  // e\n  /* f */ g\nh /* i\nj */ k";
    const blank = blankComments(text, findComments(text, LEXERS.kotlin));
    assert.equal(blank.length, text.length);
    assert.equal(blank.replace(/[ ]+/g, " "), "a c \n g\nh \n k");
    for (const letter of "acghk") assert.equal(blank.indexOf(letter), text.indexOf(letter));
    const inLines = blankInLines("#define A // b\nc", [[10, 14]]);
    assert.equal(inLines, "#define A\n     c");
    // The line break stands before the code's own indentation.
    assert.equal(/\n *g/.exec(blank)?.[0], "\n  g");
  });
});
