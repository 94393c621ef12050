import { parentPort } from "node:worker_threads";
import { fingerprintText } from "./extract.js";
import type { Job, JobResult } from "./pool.js";

/** One thread of the pool: a file in, its fingerprint out. */
parentPort?.on("message", async ({ id, path, content, limits }: Job) => {
  const fingerprint = await fingerprintText(path, Buffer.from(content.buffer), limits);
  parentPort?.postMessage({ id, fingerprint } satisfies JobResult);
});
