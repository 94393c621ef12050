// Runs test files in the order that it gets them, some at a time: `node run-tests.mjs <how many> <file> …`. `node --test` sorts them.
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";

const [concurrency, ...files] = process.argv.slice(2);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop.abort());
const results = run({ files, concurrency: Number(concurrency), signal: stop.signal });
results.on("test:fail", () => {
  process.exitCode = 1;
});
results.compose(new Spec()).pipe(process.stdout);
