import { randomUUID } from "node:crypto";
import type { ModelAnswer, ModelRequest } from "./model-server.js";

/** How one protocol asks and answers. Only as much of each as the clients use. */
export interface Protocol {
  name: string;
  matches(path: string): boolean;
  /** Asks only how long a text is. */
  count: RegExp;
  read(body: Record<string, unknown>): Omit<ModelRequest, "protocol" | "body">;
  streams(path: string, body: Record<string, unknown>): boolean;
  whole(answer: ModelAnswer): unknown;
  /** The same as server-sent events. */
  events(answer: ModelAnswer): string[];
}

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
export const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const event = (data: unknown, name?: string) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
export const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll("-", "")}`;

/** All strings below a value, one per line: what a model would read of it. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (!isObject(value)) return "";
  const { text, content, output, thinking, input, arguments: args, functionCall, functionResponse, parts } = value;
  return [
    text,
    content,
    output,
    thinking,
    input,
    args,
    functionCall,
    functionResponse,
    parts,
    value.response,
    value.args,
  ]
    .filter((part) => part !== undefined)
    .map((part) => (isObject(part) && !Array.isArray(part) ? JSON.stringify(part) : textOf(part)))
    .join("\n");
}

const parameterNames = (schema: unknown): string[] =>
  isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];

export function toolsOf(
  tools: readonly { name: unknown; schema: unknown }[],
): Pick<ModelRequest, "tools" | "parameters"> {
  const named = tools.flatMap(({ name, schema }) =>
    typeof name === "string" ? [[name, parameterNames(schema)] as const] : [],
  );
  return { tools: named.map(([name]) => name), parameters: Object.fromEntries(named) };
}

export const roleOf = (role: unknown): "user" | "assistant" =>
  role === "assistant" || role === "model" ? "assistant" : "user";

export const usageOf = ({ used = 10 }: ModelAnswer) => ({
  ...{ input_tokens: used, output_tokens: 10, total_tokens: used + 10 },
});
