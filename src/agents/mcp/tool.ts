import type { z } from "zod";
import type { Context } from "../../repository/context.js";

/** Passed to a tool with each call. */
export interface Call {
  /** Of the worktree that the call is about, where ua-hooks is set up. Its signal: the client cancelled the call. */
  context: Context;
  /** Under which name a lease is taken that the call does not name itself. */
  holder: string;
  /** Reports the current step to a client that shows it; at most once a second. */
  stage(message: string): void;
}

/**
 * One tool, in its own file in tools/, and one line in tools/index.ts. `run` returns what `output` describes, or throws
 * a UaError: the client then gets what happened and what to do next. Results are short: lists are paged (page.ts).
 */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  /** For the model: when to call it, and what it returns. */
  description: string;
  /** Every tool also accepts `worktree` (server.ts adds it). */
  input: I;
  output: O;
  /** `reads` changes nothing; `writes` changes the stored knowledge; never a source file. */
  effect: "reads" | "writes";
  run(args: z.output<I>, call: Call): Promise<z.input<O>>;
}

/** Types `args` and the result by the schemas, and gives all tools one type. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): Tool {
  return tool as unknown as Tool;
}
