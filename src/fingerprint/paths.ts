const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:[._-](?:test|spec)|_test)\.[^./]+$|(?:^|\/)test_[^/]*\.py$|(?:Test|Tests|Spec)\.(?:java|kt|scala|cs|swift|php)$/;
const GENERATED =
  /(?:^|\/)(?:generated|__generated__|gen)\/|\.(?:generated|g|pb|designer)\.[^./]+$|_(?:pb2|pb2_grpc|generated)\.\w+$|\.min\.js$/i;

/** One of them is in whatever the patterns match. Most paths have none, and then V8 need not compile a pattern. */
const OF_TESTS = ["est", "pec"];
const OF_GENERATED = ["gen", ".g.", ".pb.", "_pb2", ".designer.", ".min.js"];

export function isTestPath(path: string): boolean {
  return OF_TESTS.some((part) => path.includes(part)) && TEST.test(path);
}

export function isGeneratedPath(path: string): boolean {
  const lower = path.toLowerCase();
  return OF_GENERATED.some((part) => lower.includes(part)) && GENERATED.test(path);
}
