import { parentPort, workerData } from "node:worker_threads";
import { fingerprintText } from "../fingerprint/extract.js";
import { noted } from "./parse-notes.js";
import type { Job, JobResult, ThreadData } from "./pool.js";
import { buffersOf, prepareFile } from "./prepared.js";

const { pad } = workerData as ThreadData;

/** One thread of the pool: files in, the fingerprint of each or what is stored of it out. */
parentPort?.on("message", async (jobs: readonly Job[]) => {
  const results: JobResult[] = [];
  for (const job of jobs) results.push(await resultOf(job));
  const buffers = results.flatMap(({ made }) => (typeof made === "string" ? [] : buffersOf(made)));
  parentPort?.postMessage(results, buffers);
});

async function resultOf({ id, path, oid, isPrepared, content, limits }: Job): Promise<JobResult> {
  const text = Buffer.from(content.buffer);
  const fingerprint = await noted(pad, { path, oid }, limits, (options) => fingerprintText(path, text, options));
  const isParsed = fingerprint.hasStructuralAnalysis;
  if (!isPrepared) return { id, isParsed, made: JSON.stringify(fingerprint) };
  return { id, isParsed, made: prepareFile({ ...fingerprint, blobOid: oid }) };
}
