/** Caches the result for each key, also undefined. */
export function memo<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, { value: T }>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = { value: compute(key) };
      known.set(key, found);
    }
    return found.value;
  };
}

export function lazily<T>(make: () => T): () => T {
  const made = memo(make);
  return () => made("");
}
