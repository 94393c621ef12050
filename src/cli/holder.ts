import { hostname, userInfo } from "node:os";
import { holderFromEnv } from "../agents/conversation.js";

/** Who claims and describes here, as others see it: the conversation of an agent, else the user. */
export const currentHolder = (): string => holderFromEnv(process.env) ?? `${userInfo().username}@${hostname()}`;
