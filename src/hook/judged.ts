import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import type { Project } from "../project/locate.js";
import type { Db } from "../store/sqlite.js";
import type { Lock } from "./lock.js";
import { type Verification, verifyView } from "./verify.js";

type Judged = Verification & { judgement: NonNullable<Verification["judgement"]> };

/** Verified just now, for whoever is about to act on the verdict. */
export async function judged(db: Db, held: Lock, project: Project): Promise<Judged> {
  const found = await verifyView(db, held, project, []);
  if (found.judgement === null) throw new UaError("not-set-up", found.reason, "see `ua-hooks status`");
  return { ...found, judgement: found.judgement };
}

/**
 * Before something is delivered: every proof of this clone, our own too, is about to say too much. A kill right after
 * the delivery then leaves no reader who believes that nothing has changed.
 */
export function dropProofs(project: Project): void {
  const dir = join(project.stateDir, "proofs");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) rmSync(join(dir, name), { force: true });
}
