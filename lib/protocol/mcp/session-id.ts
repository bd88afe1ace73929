import { sha256base64url } from "#sha256";
import { base64url } from "../../kernel/encoding.ts";
import type { Random } from "../../kernel/random.ts";

/** Where the legacy transport carries the id: the clients of its time only follow the URL that they are given. */
export const SESSION_PARAMETER = "sessionId";

const BYTES = 32;
/** As many characters as an id of ours has; any other text names no session. */
const SESSION_ID = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits, in characters that a header and a URL carry as they are (MCP 2025-03-26, Session Management). */
export function createSessionId(random: Random): string {
  return base64url(random.bytes(BYTES));
}

/** What the store and the log know a session by. */
export function sessionHash(id: string): string {
  return sha256base64url(id);
}

/** Whether a text can be an id of ours: asking the store for any other would be for nothing. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}
