import type { ModelAnswer } from "./model-server.js";
import { event, type Json, list, newId, type Protocol, roleOf, textOf, toolsOf, usageOf } from "./protocol.js";

/** https://docs.anthropic.com/en/api/messages-streaming */
export const MESSAGES: Protocol = {
  name: "messages",
  matches: (path) => /\/messages(\/count_tokens)?(\?|$)/.test(path),
  count: /\/count_tokens/,
  read: (body) => ({
    system: textOf(body.system),
    messages: list(body.messages).map(({ role, content }) => ({ role: roleOf(role), text: textOf(content) })),
    ...toolsOf(list(body.tools).map(({ name, input_schema: schema }) => ({ name, schema }))),
  }),
  streams: (_, { stream }) => stream === true,
  whole: (answer) => ({
    ...{ id: newId("msg"), type: "message", role: "assistant", model: "claude", content: blocks(answer) },
    ...{ stop_reason: stopReason(answer), stop_sequence: null, usage: usageOf(answer) },
  }),
  events: (answer) => {
    const message = { id: newId("msg"), type: "message", role: "assistant", model: "claude", content: [] };
    const start = { ...message, stop_reason: null, stop_sequence: null, usage: usageOf(answer) };
    return [
      event({ type: "message_start", message: start }, "message_start"),
      ...blocks(answer).flatMap(blockEvents),
      event(
        {
          type: "message_delta",
          delta: { stop_reason: stopReason(answer), stop_sequence: null },
          usage: usageOf(answer),
        },
        "message_delta",
      ),
      event({ type: "message_stop" }, "message_stop"),
    ];
  },
};

const stopReason = ({ calls = [] }: ModelAnswer) => (calls.length > 0 ? "tool_use" : "end_turn");

function blocks({ text, calls = [] }: ModelAnswer): Json[] {
  return [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ tool, input }) => ({ type: "tool_use", id: newId("toolu"), name: tool, input })),
  ];
}

function blockEvents(block: Json, index: number): string[] {
  const isText = block.type === "text";
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  const empty = isText ? { ...block, text: "" } : { ...block, input: {} };
  return [
    event({ type: "content_block_start", index, content_block: empty }, "content_block_start"),
    event({ type: "content_block_delta", index, delta }, "content_block_delta"),
    event({ type: "content_block_stop", index }, "content_block_stop"),
  ];
}

/** https://ai.google.dev/api/generate-content */
export const GEMINI: Protocol = {
  name: "gemini",
  matches: (path) => /:(streamGenerateContent|generateContent|countTokens)(\?|$)/.test(path),
  count: /:countTokens/,
  read: (body) => ({
    system: textOf(body.systemInstruction),
    messages: list(body.contents).map(({ role, parts }) => ({ role: roleOf(role), text: textOf(parts) })),
    ...toolsOf(
      list(body.tools)
        .flatMap(({ functionDeclarations }) => list(functionDeclarations))
        .map(({ name, parameters, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema ?? parameters })),
    ),
  }),
  streams: (path) => path.includes(":streamGenerateContent"),
  whole: candidate,
  events: (answer) => [event(candidate(answer))],
};

function candidate({ text, calls = [], used = 10 }: ModelAnswer): Json {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ tool, input }) => ({ functionCall: { id: newId("call"), name: tool, args: input } })),
  ];
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: used, candidatesTokenCount: 10, totalTokenCount: used + 10 },
    modelVersion: "model",
  };
}
