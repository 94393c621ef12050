import { parentPort } from "node:worker_threads";
import { fingerprintText } from "../fingerprint/extract.js";
import type { Job, JobResult } from "./pool.js";
import { buffersOf, prepareFile } from "./prepared.js";

/** One thread of the pool: files in, the fingerprint of each or what is stored of it out. */
parentPort?.on("message", async (jobs: readonly Job[]) => {
  const results: JobResult[] = [];
  for (const job of jobs) results.push(await resultOf(job));
  const buffers = results.flatMap(({ made }) => (typeof made === "string" ? [] : buffersOf(made)));
  parentPort?.postMessage(results, buffers);
});

async function resultOf({ id, path, oid, content, limits }: Job): Promise<JobResult> {
  const fingerprint = await fingerprintText(path, Buffer.from(content.buffer), limits);
  const isParsed = fingerprint.hasStructuralAnalysis;
  if (oid === null) return { id, isParsed, made: JSON.stringify(fingerprint) };
  return { id, isParsed, made: prepareFile({ ...fingerprint, blobOid: oid }) };
}
