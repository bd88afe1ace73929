import type { Shape } from "./common.ts";

const NAMES = { type: "array", items: { type: "string" } } as const;

const MODE = { enum: ["delegation", "impersonation"] } as const;
const TTL = { type: "number", description: "How long such a token lives at most, seconds." } as const;

export const TOOL_EXCHANGE = {
  title: "ToolExchange",
  description: "The token that a call carries to the upstream, exchanged for the agent's. Absent: there is none.",
  type: "object",
  properties: {
    mode: MODE,
    audience: { type: "string" },
    scopes: { ...NAMES, description: "What the token may be used for." },
    ttl: TTL,
  },
  required: ["mode", "audience", "scopes", "ttl"],
  additionalProperties: false,
} as const;

/** A tool of a REST API, and the request behind it. */
export const TOOL = {
  title: "Tool",
  type: "object",
  properties: {
    name: { type: "string", description: "The name that agents see." },
    localName: { type: "string", description: "The name that policies see: without the app's namespace." },
    app: { type: "string" },
    title: { type: "string" },
    description: { type: "string" },
    method: { type: "string" },
    path: { type: "string", description: "An OpenAPI path template." },
    scopes: { ...NAMES, description: "What an agent's token needs." },
    denied: {
      const: true,
      description: "Nobody may call it: the app has entries in `authorization.inbound.tools`, and none names it.",
    },
    exchange: TOOL_EXCHANGE,
    annotations: {
      type: "object",
      properties: {
        title: { type: "string" },
        readOnlyHint: { type: "boolean" },
        idempotentHint: { type: "boolean" },
        destructiveHint: { type: "boolean" },
        openWorldHint: { type: "boolean" },
      },
      additionalProperties: false,
    },
  },
  required: ["name", "localName", "app", "method", "path", "scopes", "annotations"],
  additionalProperties: false,
} as const;

/** An operation of a REST API that is no tool. */
export const LEFT_OUT_OPERATION = {
  title: "LeftOutOperation",
  type: "object",
  properties: {
    app: { type: "string" },
    operation: { type: "string", description: "`METHOD /path`; `* /path` for a Path Item that cannot be read." },
    reason: {
      enum: [
        "unsupported method",
        "unsupported parameter location",
        "unsupported request body",
        "duplicate operation",
        "invalid operation",
      ],
    },
    detail: { type: "string" },
  },
  required: ["app", "operation", "reason"],
  additionalProperties: false,
} as const;

const NAMED_TOOLS = { type: "string", description: "The name of a tool, or a pattern between slashes." } as const;

export const SERVER_EXCHANGE = {
  title: "ServerExchange",
  description: "Tokens that calls carry to the server, exchanged for the agent's. Absent: there are none.",
  type: "object",
  properties: {
    mode: MODE,
    audience: { type: "string" },
    ttl: { ...TTL, description: "Of tokens for what none of `tools` names, seconds. Those have no scopes." },
    tools: {
      type: "array",
      description: "The first that names a tool decides.",
      items: {
        type: "object",
        properties: { name: NAMED_TOOLS, scopes: NAMES, ttl: TTL },
        required: ["name", "scopes", "ttl"],
        additionalProperties: false,
      },
    },
  },
  required: ["mode", "audience", "ttl", "tools"],
  additionalProperties: false,
} as const;

/** An MCP server behind the gateway; which tools it has depends on who asks. */
export const MCP_SERVER = {
  title: "McpServer",
  type: "object",
  properties: {
    app: { type: "string" },
    origin: { type: "string" },
    namespace: { type: "string", description: "In front of the names of its tools; empty: they stay as they are." },
    include: { ...NAMES, description: "Names or patterns of the tools that are offered; absent: all." },
    exclude: NAMES,
    inbound: {
      type: "array",
      description: "What an agent's token needs, by tool; the first that names a tool decides, else nothing.",
      items: {
        type: "object",
        properties: { name: NAMED_TOOLS, scopes: NAMES },
        required: ["name", "scopes"],
        additionalProperties: false,
      },
    },
    exchange: SERVER_EXCHANGE,
  },
  required: ["app", "origin", "namespace", "inbound"],
  additionalProperties: false,
} as const;

export const TOOL_LIST = {
  title: "ToolList",
  type: "object",
  properties: {
    items: { type: "array", items: TOOL },
    leftOut: { type: "array", items: LEFT_OUT_OPERATION },
    servers: { type: "array", items: MCP_SERVER },
  },
  required: ["items", "leftOut", "servers"],
  additionalProperties: false,
} as const;

export type Tool = Shape<typeof TOOL>;
export type LeftOutOperation = Shape<typeof LEFT_OUT_OPERATION>;
export type McpServer = Shape<typeof MCP_SERVER>;
export type ToolList = Shape<typeof TOOL_LIST>;
