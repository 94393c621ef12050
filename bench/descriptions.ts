import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openState } from "../src/store/state.js";
import { git, type Place } from "./repos.js";

/** What an agent delivered, or so many authors shared, as rows: an apply would be measured by another part. */
export async function describeSome(place: Place, count: number, authors = 0): Promise<void> {
  const db = await openState(join(place.dir, ".git/ua-hooks"));
  const commit = git(place, "rev-parse", "HEAD").trim();
  db.write(() => {
    for (let at = 0; at < count; at++) {
      const { key, oid, text, ...rest } = aDescription(at);
      db.run(
        `INSERT INTO descriptions(type, path, name, hash, signature, oid, data, text_hash, source, at, commit_oid, author)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[key.type, key.path, key.name, key.hash, key.signature, oid],
        ...[JSON.stringify(text), randomBytes(10).toString("hex"), authors > 0 ? "shared" : "here", rest.at],
        ...[commit, authors > 0 ? `a${at % authors}` : null],
      );
    }
  });
  db.close();
}

/** A description of a content that no repository has. */
export function aDescription(at: number) {
  const key = {
    ...{ type: "function", path: `src/d${at % 400}/f${at % 4_000}.ts`, name: `Service.method${at % 97}` },
    ...{ hash: `h1:${randomBytes(10).toString("hex")}`, signature: randomBytes(10).toString("hex") },
  };
  const summary = `Computes part ${at} of the answer from what the caller gives, and refuses what is out of range.`;
  const text = { complexity: "moderate", summary, tags: ["service", "computation"] };
  return { key, oid: randomBytes(20).toString("hex"), text, at: "2026-01-02T03:04:05.000Z" };
}
