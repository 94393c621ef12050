import { interrupt } from "../platform/interrupt.js";

/** Whether a user is at the terminal. By descriptor: a stream for stdin would load much more of Node. */
export function isAttended(): boolean {
  const { isatty } = process.getBuiltinModule("node:tty");
  return isatty(0) && isatty(2);
}

/** Without a terminal the answer is no; so it is after Ctrl-D. */
export async function ask(question: string): Promise<boolean> {
  if (!isAttended()) return false;
  const { createInterface } = await import("node:readline/promises"); // most commands never ask
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // readline catches Ctrl-C, and would leave the question open.
  terminal.once("SIGINT", () => {
    process.stderr.write("\n");
    interrupt();
  });
  const silence = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), silence]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
