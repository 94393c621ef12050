import type { ModelRequest } from "./model-server.js";
import type { Heard, Scene } from "./scene.js";

const MOST = 110;

/** What the model called and what the client sent back for it, a line each. */
export function logOf({ place, answers }: Scene, { main }: Heard): string[] {
  const short = (text: string) => {
    const plain = text.replaceAll(place.repo, "…").replaceAll(place.home, "…").replace(/\s+/g, " ").trim();
    return plain.length <= MOST ? plain : `${plain.slice(0, MOST)} …`;
  };
  return main.flatMap((request, at) => {
    const calls = answers.get(request)?.calls ?? [];
    const next = main[at + 1];
    return calls.flatMap(({ tool, input }) => [
      `${tool.padEnd(12)} ${short(commandOf(input))}`,
      `${"".padEnd(10)} → ${next === undefined ? "" : short(resultOf(next, request))}`,
    ]);
  });
}

function commandOf(input: Record<string, unknown>): string {
  const command = input.command ?? input.cmd;
  return typeof command === "string" ? command : JSON.stringify(input);
}

/** What is new in a request, in short: our message, the lease, what was applied. */
function resultOf(next: ModelRequest, before: ModelRequest): string {
  const added = next.messages.slice(before.messages.length).filter(({ role }) => role === "user");
  const text = added
    .map((message) => message.text)
    .join("\n")
    .replaceAll('\\"', '"')
    .replaceAll("\\n", " ");
  const found = (pattern: RegExp) => pattern.exec(text)?.[0];
  const parts = [
    found(/ua-hooks: [^;.]*[;.]/),
    found(/"holder":\s*"[^"]*"/),
    found(/"packets":\s*\[\s*\{\s*"path":\s*"[^"]*"/)?.replace(/\s+/g, " "),
    found(/"applied":\s*\[[^\]]*\]/),
    found(/"pending":\s*null/),
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}
