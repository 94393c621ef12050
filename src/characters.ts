const IS_ASCII = /^[ -~\s]*$/;

/**
 * A test for text that is ASCII nearly always. A pattern with \p{…} takes V8 about a millisecond to build, once per process and
 * pattern, which a hook in the foreground cannot afford: `whole` is built for the first other text.
 */
export function tester(ascii: RegExp, whole: () => RegExp): (text: string) => boolean {
  let built: RegExp | undefined;
  return (text) => {
    if (IS_ASCII.test(text)) return ascii.test(text);
    built ??= whole();
    return built.test(text);
  };
}

/** Nothing but visible ASCII characters and blanks: no control character, no letter of another script. */
export const isPlainAscii = (text: string): boolean => PLAIN_ASCII.test(text);
const PLAIN_ASCII = /^[ -~\n]*$/;

export const startsUpperCase = /* @__PURE__ */ tester(/^[A-Z]/, () => /^\p{Lu}/u);
