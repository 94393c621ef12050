import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hidesSomething, printable, quoted, visible, visibleValue } from "../src/printable.js";

const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));

describe("what a text hides", () => {
  it("is every character that shows nothing, alone, between letters and in a row", () => {
    const nothing = /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]$/u;
    for (const char of all.filter((one) => nothing.test(one)))
      for (const text of [char, `a${char}b`, `\u2014${char}${char}\u2014`])
        assert.ok(hidesSomething(text), JSON.stringify(text));
  });

  it("is no letter, digit, mark or symbol that is assigned", () => {
    const shown = /^(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}\p{M}\p{Zs}]$/u;
    for (const char of all.filter((one) => shown.test(one) && one !== "\u2800"))
      assert.ok(!hidesSomething(`a${char}b`), JSON.stringify(char));
  });

  const spelled = {
    "a Persian word": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "a conjunct of Devanagari": "\u0915\u094d\u200d\u0937",
    "a word of Malayalam": "\u0d28\u0d4d\u200c\u0d2e",
    "a family": "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
    "an emoji with a tone": "\u{1f468}\u{1f3fd}\u200d\u{1f4bb}",
    "a heart on fire": "\u2764\ufe0f\u200d\u{1f525}",
    "a key": "1\ufe0f\u20e3",
  };
  for (const [name, text] of Object.entries(spelled)) {
    it(`is no joiner that belongs to the spelling: ${name}`, () => {
      assert.equal(printable(text), text);
      const doubled = text.replace(/\u200c|\u200d|\ufe0f/, "$&$&");
      assert.ok(hidesSomething(doubled), "two in a row");
    });
  }

  const odd = {
    "between dashes": "\u2014\u200d\u2014",
    "between Latin letters": "a\u200cb",
    "between letters that are not cursive": "\u0436\u200c\u0436",
    "a joiner between letters that join already": "\u0645\u200d\u062e",
    "before a Hangul filler": "\u094d\u200d\u3164",
    "two kinds in a row": "\u0645\u200c\u200d\u062e",
    "at the end of a word": "\u0645\u200c ",
    "an emoji's sign behind a letter": "a\ufe0f",
    "behind what is an emoji already": "\u{1f525}\ufe0f",
  };
  for (const [name, text] of Object.entries(odd))
    it(`is a joiner or sign that nobody sees: ${name}`, () => assert.ok(hidesSomething(text)));

  it("is escaped so that JSON gives it back", () => {
    const text = all.filter((_, code) => code % 97 === 0 || (code >= 0xe0000 && code < 0xe0200)).join("");
    const json = visible(JSON.stringify({ text, lines: "a\nb" }, null, 1));
    assert.deepEqual(JSON.parse(json), { text, lines: "a\nb" });
    assert.ok(!hidesSomething(json.replaceAll("\n", "")));
    assert.equal(JSON.parse(quoted(text, Number.POSITIVE_INFINITY)), text);
    assert.ok(!hidesSomething(quoted(text, Number.POSITIVE_INFINITY)));
    assert.ok(!hidesSomething(printable(text)));
  });

  it("is escaped in a value for a reader that parses JSON first, keys included", () => {
    const value = { text: all.join(""), "k\u200b": ["\\u0041", "a\nb\tc", '"\u{e0041}"', "\b", "\ud800", 1, null] };
    const shown = visibleValue(value);
    assert.deepEqual(Object.keys(shown), ["text", "k\\u200b"]);
    assert.ok(!hidesSomething(shown.text.replace(/[\n\r\t]/g, "")));
    const list = ["\\u0041", "a\nb\tc", '"\\udb40\\udc41"', "\\u0008", "\\ud800", 1, null];
    assert.deepEqual(Object.values(shown)[1], list);
    assert.equal(visibleValue({ heart: "\u2764\ufe0f\u200d\u{1f525}" }).heart, "\u2764\ufe0f\u200d\u{1f525}");
  });

  it("takes time by the text's length only", () => {
    assert.ok(hidesSomething("\u200d".repeat(1_000_000)));
    assert.ok(hidesSomething("\u0300\u200c".repeat(300_000)));
  });
});
