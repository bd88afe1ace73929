import { pageOf, type Shape, TIME } from "./common.ts";

/** A live session of an agent. */
export const MCP_SESSION = {
  title: "McpSession",
  type: "object",
  properties: {
    id: { type: "string", description: "SHA-256 of the id that the agent holds, base64url. It opens nothing." },
    transport: { enum: ["stream", "sse"] },
    agent: { type: "string", description: "Absent, like `user` and `issuer`, where nobody is authenticated." },
    user: { type: "string" },
    issuer: { type: "string", description: "The authorization server that vouched for them." },
    protocolVersion: { type: "string" },
    clientInfo: {
      type: "object",
      description: "What the agent's software says of itself.",
      properties: { name: { type: "string" }, version: { type: "string" } },
      required: ["name", "version"],
      additionalProperties: false,
    },
    startedAt: TIME,
    lastSeenAt: { ...TIME, description: "To a sixtieth of the timeout." },
    expiresAt: { ...TIME, description: "When it is over, unless it is used before." },
  },
  required: ["id", "transport", "protocolVersion", "clientInfo", "startedAt", "lastSeenAt", "expiresAt"],
  additionalProperties: false,
} as const;

export const MCP_SESSION_LIST = pageOf("McpSessionList", MCP_SESSION);

export type McpSession = Shape<typeof MCP_SESSION>;
export type McpSessionList = Shape<typeof MCP_SESSION_LIST>;
