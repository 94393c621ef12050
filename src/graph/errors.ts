export type GraphErrorCode = "not-json" | "wrong-shape" | "outside-project";

/** A graph, or an update of one, that cannot be used. The message is for users and names what is wrong. */
export class GraphError extends Error {
  readonly code: GraphErrorCode;

  constructor(code: GraphErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "GraphError";
    this.code = code;
  }
}

/** Also one from another file of dist/, which has its own copy of the class. */
export function isGraphError(error: unknown): error is GraphError {
  return error instanceof Error && error.name === "GraphError";
}
