import { parentPort } from "node:worker_threads";
import { fingerprintText } from "../fingerprint/extract.js";
import type { Job, JobResult } from "./pool.js";
import { buffersOf, prepareFile } from "./prepared.js";

/** One thread of the pool: a file in, its fingerprint or what is stored of it out. */
parentPort?.on("message", async ({ id, path, oid, content, limits }: Job) => {
  const fingerprint = await fingerprintText(path, Buffer.from(content.buffer), limits);
  const isParsed = fingerprint.hasStructuralAnalysis;
  if (oid === null) parentPort?.postMessage({ id, isParsed, made: JSON.stringify(fingerprint) } satisfies JobResult);
  else {
    const made = prepareFile({ ...fingerprint, blobOid: oid });
    parentPort?.postMessage({ id, isParsed, made } satisfies JobResult, buffersOf(made));
  }
});
