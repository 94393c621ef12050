import { createInterface } from "node:readline/promises";

/** Whether there is somebody to ask. */
export function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Nobody there is a no. */
export async function ask(question: string): Promise<boolean> {
  if (!isAttended()) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
