import { GEMINI, MESSAGES } from "./anthropic-gemini.js";
import { CHAT, RESPONSES } from "./openai.js";
import type { Protocol } from "./protocol.js";

export const PROTOCOLS: readonly Protocol[] = [MESSAGES, RESPONSES, CHAT, GEMINI];
