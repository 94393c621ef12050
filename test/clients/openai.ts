import type { ModelAnswer } from "./model-server.js";
import {
  event,
  isObject,
  type Json,
  list,
  newId,
  type Protocol,
  roleOf,
  textOf,
  toolsOf,
  usageOf,
} from "./protocol.js";

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export const RESPONSES: Protocol = {
  name: "responses",
  matches: (path) => /\/responses(\/compact)?(\?|$)/.test(path),
  count: /^$/,
  read: (body) => {
    const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : list(body.input);
    const isSystem = ({ role }: Json) => role === "system" || role === "developer";
    const isCall = ({ type }: Json) => type === "function_call" || type === "custom_tool_call";
    return {
      system: [textOf(body.instructions), ...input.filter(isSystem).map(textOf)].join("\n"),
      messages: input
        .filter((item) => !isSystem(item) && item.type !== "reasoning")
        .map((item) => ({ role: isCall(item) ? "assistant" : roleOf(item.role), text: textOf(item) })),
      ...toolsOf(flatTools(list(body.tools))),
    };
  },
  streams: (_, { stream }) => stream === true,
  whole: (answer) => ({ ...responseOf(answer), status: "completed" }),
  events: (answer) => {
    const response = responseOf(answer);
    return [
      event(
        { type: "response.created", response: { ...response, output: [], status: "in_progress" } },
        "response.created",
      ),
      ...response.output.flatMap((item, output_index) => itemEvents(item, output_index)),
      event({ type: "response.completed", response: { ...response, status: "completed" } }, "response.completed"),
    ];
  },
};

/** Tools of an MCP server may be grouped in a namespace. */
function flatTools(tools: readonly Json[]): { name: unknown; schema: unknown }[] {
  return tools.flatMap(({ type, name, parameters, tools: inner }) =>
    type === "namespace"
      ? list(inner).map((tool) => ({ name: `${String(name)}/${String(tool.name)}`, schema: tool.parameters }))
      : [{ name: name ?? type, schema: parameters }],
  );
}

function responseOf({ text, calls = [], ...answer }: ModelAnswer) {
  const said = { type: "message", id: newId("msg"), role: "assistant", status: "completed" };
  const output: Json[] = [
    ...(text === undefined ? [] : [{ ...said, content: [{ type: "output_text", text, annotations: [] }] }]),
    ...calls.map(({ tool, input }) => {
      const [name = "", namespace] = tool.split("/").toReversed();
      const call = { type: "function_call", id: newId("fc"), call_id: newId("call"), status: "completed" };
      return { ...call, name, ...(namespace === undefined ? {} : { namespace }), arguments: JSON.stringify(input) };
    }),
  ];
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  return {
    id: newId("resp"),
    object: "response",
    created_at: 0,
    model: "model",
    output,
    usage: { ...usageOf(answer), ...details },
  };
}

function itemEvents(item: Json, output_index: number): string[] {
  const { id: item_id, content, arguments: args } = item;
  const added = { ...item, status: "in_progress", ...(content === undefined ? { arguments: "" } : { content: [] }) };
  const [part] = list(content);
  const deltas =
    part === undefined
      ? [
          event(
            { type: "response.function_call_arguments.done", item_id, output_index, arguments: args },
            "response.function_call_arguments.done",
          ),
        ]
      : [
          event(
            {
              type: "response.content_part.added",
              item_id,
              output_index,
              content_index: 0,
              part: { ...part, text: "" },
            },
            "response.content_part.added",
          ),
          event(
            { type: "response.output_text.delta", item_id, output_index, content_index: 0, delta: part.text },
            "response.output_text.delta",
          ),
          event(
            { type: "response.output_text.done", item_id, output_index, content_index: 0, text: part.text },
            "response.output_text.done",
          ),
          event(
            { type: "response.content_part.done", item_id, output_index, content_index: 0, part },
            "response.content_part.done",
          ),
        ];
  return [
    event({ type: "response.output_item.added", output_index, item: added }, "response.output_item.added"),
    ...deltas,
    event({ type: "response.output_item.done", output_index, item }, "response.output_item.done"),
  ];
}

/** https://platform.openai.com/docs/api-reference/chat */
export const CHAT: Protocol = {
  name: "chat",
  matches: (path) => /\/chat\/completions(\?|$)/.test(path),
  count: /^$/,
  read: (body) => {
    const isSystem = ({ role }: Json) => role === "system" || role === "developer";
    return {
      system: list(body.messages).filter(isSystem).map(textOf).join("\n"),
      messages: list(body.messages)
        .filter((message) => !isSystem(message))
        .map((message) => ({
          role: roleOf(message.role),
          text: `${textOf(message)}${JSON.stringify(message.tool_calls ?? "")}`,
        })),
      ...toolsOf(
        list(body.tools).map(({ function: tool }) => ({
          name: isObject(tool) ? tool.name : null,
          schema: isObject(tool) ? tool.parameters : null,
        })),
      ),
    };
  },
  streams: (_, { stream }) => stream === true,
  whole: (answer) => ({
    ...{ id: newId("chatcmpl"), object: "chat.completion", created: 0, model: "model", usage: chatUsage(answer) },
    choices: [
      { index: 0, message: { role: "assistant", ...chatMessage(answer) }, finish_reason: finishReason(answer) },
    ],
  }),
  events: (answer) => {
    const chunk = (choice: Json, more: Json = {}) =>
      event({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 0,
        model: "model",
        choices: [{ index: 0, ...choice }],
        ...more,
      });
    return [
      chunk({ delta: { role: "assistant", content: "" }, finish_reason: null }),
      chunk({ delta: chatMessage(answer), finish_reason: null }),
      chunk({ delta: {}, finish_reason: finishReason(answer) }, { usage: chatUsage(answer) }),
      "data: [DONE]\n\n",
    ];
  },
};

const chatUsage = ({ used = 10 }: ModelAnswer) => ({
  ...{ prompt_tokens: used, completion_tokens: 10, total_tokens: used + 10 },
});
const finishReason = ({ calls = [] }: ModelAnswer) => (calls.length > 0 ? "tool_calls" : "stop");

function chatMessage({ text, calls = [] }: ModelAnswer): Json {
  const tool_calls = calls.map(({ tool, input }, index) => ({
    ...{ index, id: newId("call"), type: "function", function: { name: tool, arguments: JSON.stringify(input) } },
  }));
  return { content: text ?? null, ...(calls.length === 0 ? {} : { tool_calls }) };
}
