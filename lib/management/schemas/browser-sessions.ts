import { listOf, type Shape, TIME } from "./common.ts";

/** A browser in which the person is signed in to the Console. */
export const BROWSER_SESSION = {
  title: "BrowserSession",
  type: "object",
  properties: {
    sessionId: { type: "string", description: "A hash of the cookie's value. It opens nothing." },
    createdAt: TIME,
    lastSeenAt: TIME,
    expiresAt: TIME,
    method: { enum: ["link", "setup", "passkey", "connector", "invitation"], description: "How the person signed in." },
    userAgent: { type: "string" },
    isCurrent: { type: "boolean", description: "It is the session of this request." },
  },
  required: ["sessionId", "createdAt", "lastSeenAt", "expiresAt", "isCurrent"],
  additionalProperties: false,
} as const;

export const BROWSER_SESSION_LIST = listOf("BrowserSessionList", BROWSER_SESSION);

export type BrowserSession = Shape<typeof BROWSER_SESSION>;
export type BrowserSessionList = Shape<typeof BROWSER_SESSION_LIST>;
