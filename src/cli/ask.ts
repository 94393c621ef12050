import { createInterface } from "node:readline/promises";
import { interrupt } from "../platform/interrupt.js";

/** Whether there is somebody to ask. */
export function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Nobody there is a no; so is an answer that ends before it began (Ctrl-D). */
export async function ask(question: string): Promise<boolean> {
  if (!isAttended()) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // readline takes Ctrl-C for itself, and would leave the question open for ever.
  terminal.once("SIGINT", () => {
    process.stderr.write("\n");
    interrupt();
  });
  const silence = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), silence]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
