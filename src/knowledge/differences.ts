/** The entries that only one of two lists has. */
export function differences(what: string, there: readonly string[], clean: readonly string[]): string[] {
  const [a, b] = [new Set(there), new Set(clean)];
  return [
    ...[...a].filter((one) => !b.has(one)).map((one) => `${what} ${one} exists, but not in a rebuild`),
    ...[...b].filter((one) => !a.has(one)).map((one) => `${what} ${one} is missing`),
  ];
}
