import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PROTOCOLS } from "./protocols.js";

/** One request of a client to its model, in the same form for every protocol. */
export interface ModelRequest {
  protocol: string;
  /** The system text, whole. */
  system: string;
  /** What was said, in its order. A tool's result is the user's. */
  messages: { role: "user" | "assistant"; text: string }[];
  /** Names of the tools that the model may call. */
  tools: string[];
  /** The names of the tools' parameters. */
  parameters: Record<string, string[]>;
  body: Record<string, unknown>;
}

/** What the model answers: a text, or calls of tools. */
export interface ModelAnswer {
  text?: string;
  /** How many tokens the request is said to have had; a client shortens the conversation after many. */
  used?: number;
  calls?: { tool: string; input: Record<string, unknown> }[];
}

export type Play = (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

export interface ModelServer {
  url: string;
  /** Every request that asked for an answer, in its order. */
  requests: ModelRequest[];
  /** Addresses that no protocol knows. */
  unknown: string[];
  play: Play;
  close(): Promise<void>;
}

const MOST_BYTES = 64 * 1024 * 1024;

/** A model on loopback that answers what it is scripted to answer, in any of the clients' protocols. */
export async function startModelServer(): Promise<ModelServer> {
  const model: ModelServer = {
    url: "",
    requests: [],
    unknown: [],
    play: () => ({ text: "ok" }),
    close: async () => {},
  };
  const server = createServer((request, response) => {
    serve(model, request, response).catch((error: unknown) => {
      model.unknown.push(`failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  model.close = () => closed(server);
  return model;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(model: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  const path = request.url ?? "";
  const json = (value: unknown, status = 200) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  const protocol = PROTOCOLS.find(({ matches }) => matches(path));
  if (protocol === undefined || body === null) {
    model.unknown.push(`${request.method} ${path}`);
    return json(/\/models(\?|$)/.test(path) ? { object: "list", data: [] } : { error: { message: "not here" } }, 404);
  }
  if (protocol.count.test(path)) return json({ input_tokens: 10, totalTokens: 10 });
  const asked: ModelRequest = { protocol: protocol.name, ...protocol.read(body), body };
  model.requests.push(asked);
  const answer = await answerOf(model, asked);
  if (!protocol.streams(path, body)) return json(protocol.whole(answer));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.end(protocol.events(answer).join(""));
}

/** A script that cannot go on ends the conversation, and not the connection: clients would try again for minutes. */
async function answerOf(model: ModelServer, asked: ModelRequest): Promise<ModelAnswer> {
  try {
    return await model.play(asked);
  } catch (error) {
    model.unknown.push(`failed: ${String(error)}`);
    return { text: "The script failed." };
  }
}

/** null: no JSON object. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
