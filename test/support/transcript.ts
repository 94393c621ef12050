export interface Said {
  role: "user" | "assistant";
  at: string;
  text: string;
}

export const user = (at: string, text: string): Said => ({ role: "user", at, text });
export const agent = (at: string, text: string): Said => ({ role: "assistant", at, text });

/** A line as Claude Code writes it. */
export function line({ role, at, text }: Said): string {
  const content = role === "user" ? text : [{ type: "text", text }];
  const message = { role, content, ...(role === "user" ? {} : { id: `msg_${at}` }) };
  return `${JSON.stringify({ type: role, message, timestamp: `2025-11-05T${at}:00.000Z`, uuid: "x" })}\n`;
}

export const lines = (...said: Said[]) => said.map(line).join("");
