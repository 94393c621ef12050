// The labels of readers, from the files that they wrote.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LABELS = ["true", "incomplete", "false"];

/** The answers of one reader, by id. */
function answersOf(folder) {
  const files = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  const answers = new Map();
  for (const name of files)
    for (const [id, label] of Object.entries(JSON.parse(readFileSync(join(folder, name), "utf8")))) {
      if (!LABELS.includes(label)) throw new Error(`${join(folder, name)}: ${id} is ${JSON.stringify(label)}`);
      answers.set(id, label);
    }
  return answers;
}

/**
 * Of each drawn change the label of each reader: readers in the order of their names, the third one only where the first
 * two disagree on whether the sentence is false. Throws where a label is missing.
 */
export function collect(index, folder) {
  const [first, second, third] = readdirSync(folder)
    .sort()
    .map((reader) => answersOf(join(folder, reader)));
  if (second === undefined) throw new Error(`${folder} has the answers of fewer than two readers`);
  return index.map(({ id, repository, commit, path, kind, name }) => {
    const read = [first.get(id), second.get(id)];
    if (read.includes(undefined)) throw new Error(`a reader has no label for ${id}`);
    const isSettled = (read[0] === "false") === (read[1] === "false");
    if (isSettled) return { repository, commit, path, kind, name, read };
    const last = third?.get(id);
    if (last === undefined)
      throw new Error(`the first two readers disagree on ${id}, and a third one has no label for it`);
    return { repository, commit, path, kind, name, read: [...read, last] };
  });
}

/** What most readers say: whether the sentence became false. */
export const isFalse = ({ read }) => read.filter((label) => label === "false").length > read.length / 2;

/** The two readers differ on whether it is false, and a third one has not read it. */
export const isUndecided = ({ read }) => read.length === 2 && (read[0] === "false") !== (read[1] === "false");
