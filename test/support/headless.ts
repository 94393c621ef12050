import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Repo, repoAt } from "./repo.js";

/** What a coding agent without a session was started with. */
export interface HeadlessQuestion {
  args: string[];
  input: string;
  /** Of the folder that it ran in. */
  folder: string[];
  off: string;
  ids: string[];
}

export const NOT_ASKED: HeadlessQuestion = { args: [], input: "", folder: [], off: "", ids: [] };

/** A program `claude` on PATH that prints `answer` (JavaScript, with `ids` of the packets), and all that it was asked. */
export function withAgent(repo: Repo, answer: string): { repo: Repo; asked: () => HeadlessQuestion[] } {
  const bin = `${repo.dir}-bin`;
  const file = join(bin, "asked.jsonl");
  mkdirSync(bin);
  appendFileSync(file, "");
  const program = `#!${process.execPath}
const fs = require("node:fs");
const input = fs.readFileSync(0, "utf8");
const { packets } = JSON.parse(input.slice(input.indexOf('{"packets"')));
const ids = packets.flatMap((one) => [...one.symbols.map(({ id }) => id), ...(one.describeFile ? [one.describeFile.id] : [])]);
const asked = { args: process.argv.slice(2), input, folder: fs.readdirSync("."), off: process.env.UA_HOOKS, ids };
fs.appendFileSync(${JSON.stringify(file)}, JSON.stringify(asked) + "\\n");
${answer}
`;
  writeFileSync(join(bin, "claude"), program);
  chmodSync(join(bin, "claude"), 0o755);
  const env = { ...repo.env, PATH: `${bin}:${repo.env.PATH}` };
  const asked = () => {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as HeadlessQuestion);
  };
  return { repo: repoAt(repo.dir, repo.base, env), asked };
}

/** It says the same of everything. */
export const describing = (summary: string): string =>
  [
    `const all = Object.fromEntries(ids.map((id) => [id, { summary: ${JSON.stringify(summary)} }]));`,
    'console.log("Of course:", JSON.stringify({ descriptions: all }), "That is all.");',
  ].join("\n");
