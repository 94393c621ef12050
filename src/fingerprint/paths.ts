const TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?)\/|(?:[._-](?:test|spec)|_test)\.[^./]+$|(?:^|\/)test_[^/]*\.py$|(?:Test|Tests|Spec)\.(?:java|kt|scala|cs|swift|php)$/;
const GENERATED =
  /(?:^|\/)(?:generated|__generated__|gen)\/|\.(?:generated|g|pb|designer)\.[^./]+$|_(?:pb2|pb2_grpc|generated)\.\w+$|\.min\.js$/i;

export function isTestPath(path: string): boolean {
  return TEST.test(path);
}

export function isGeneratedPath(path: string): boolean {
  return GENERATED.test(path);
}
