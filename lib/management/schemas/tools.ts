import { type Shape, TIME } from "./common.ts";

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

const CONDITIONS = {
  type: "array",
  items: { enum: ["policies", "stepUp", "approval", "connection", "pins"] },
  description: "What is decided with each call, besides scopes. Absent: nothing.",
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
    conditions: CONDITIONS,
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

const SCHEMA = (description: string) => ({ type: "object", description }) as const;

/** What holds for all tools of an app. */
const OF_APP = {
  policies: {
    type: "array",
    description: "Those of the app, in their order. Each has to allow a call.",
    items: {
      type: "object",
      properties: {
        name: { type: "string", description: "Its own, or where it stands below the authorization of the app." },
        engine: { enum: ["cel", "opa", "authzen", "rules"] },
      },
      required: ["name", "engine"],
      additionalProperties: false,
    },
  },
  members: {
    enum: ["required", "required where there are several organizations", "any"],
    description: "Whether people have to belong to the organization.",
  },
  credential: {
    type: "object",
    description: "What calls carry to the upstream: kinds and names, never a value.",
    properties: {
      kind: {
        enum: ["unprotected", "tokenExchange", "userToken"],
        description:
          "`userToken`: the token of the account that the person connected. `unprotected`: none for the caller.",
      },
      issuer: { type: "string", description: "Who issues the token: a connector, or `oidcProvider`." },
      scopes: { ...NAMES, description: "Of a tool, with `userToken`: what the person's connection needs." },
      schemes: { ...NAMES, description: "Security schemes of the document that the configuration has a secret for." },
      headers: { ...NAMES, description: "Names of headers of each call." },
    },
    required: ["kind", "schemes", "headers"],
    additionalProperties: false,
  },
  pinned: { type: "boolean", description: "Only approved versions of tools are called." },
} as const;

/** What one tool takes and answers, and what is asked before and carried by its calls. */
export const TOOL_DETAILS = {
  ...TOOL,
  title: "ToolDetails",
  description:
    "Of a tool of an MCP server what the configuration says: there are `server`, and no `method`, `path` and schemas. The server tells those to agents, and whether it has such a tool.",
  properties: {
    ...TOOL.properties,
    ...OF_APP,
    inputSchema: SCHEMA("JSON Schema of its arguments, as agents see it."),
    outputSchema: SCHEMA("JSON Schema of its structured results. Absent: it tells of none."),
    server: {
      type: "object",
      description: "The MCP server that would have the tool.",
      properties: {
        origin: { type: "string" },
        others: {
          ...NAMES,
          description:
            "Further apps whose server may have a tool of this name: of those that list it, the first is called.",
        },
      },
      required: ["origin", "others"],
      additionalProperties: false,
    },
    stepUp: {
      type: "object",
      description: "What the person's sign-in has to be like.",
      properties: { acr: NAMES, maxAge: { type: "number", description: "How old it may be, seconds." } },
      additionalProperties: false,
    },
    approval: {
      type: "object",
      description: "Who has to approve calls.",
      properties: {
        by: { type: "string", description: "`self`, `owners`, or a CEL expression." },
        conditional: { type: "boolean", description: "Only calls that an expression tells." },
      },
      required: ["by", "conditional"],
      additionalProperties: false,
    },
  },
  required: ["name", "localName", "app", "scopes", "annotations", "policies", "members", "credential", "pinned"],
} as const;

export const NEW_TRIAL = {
  title: "NewTrial",
  type: "object",
  properties: {
    clientId: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      description:
        "API client of the organization to call as, for owners. Absent: as the person, with the Console as their agent.",
    },
  },
  additionalProperties: false,
} as const;

/** A token to try a tool with. */
export const TRIAL = {
  title: "Trial",
  type: "object",
  properties: {
    accessToken: { type: "string", description: "Opaque, for the gateway alone. Keep it in memory." },
    url: { type: "string", description: "Where to call, by Streamable HTTP." },
    expiresAt: { ...TIME, description: "Within five minutes." },
    claims: {
      type: "object",
      description: "What the token says, as policies see it.",
      properties: {
        iss: { type: "string" },
        sub: { type: "string" },
        client_id: { type: "string" },
        aud: { type: "string" },
        scope: { type: "string" },
        exp: { type: "number" },
      },
      required: ["iss", "sub", "client_id", "aud", "scope", "exp"],
      additionalProperties: false,
    },
  },
  required: ["accessToken", "url", "expiresAt", "claims"],
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
    conditions: {
      ...CONDITIONS,
      description: "What is decided with calls of some or all of its tools. Absent: nothing.",
    },
    exchange: SERVER_EXCHANGE,
    ...OF_APP,
  },
  required: ["app", "origin", "namespace", "inbound", "policies", "members", "credential", "pinned"],
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
export type ToolDetails = Shape<typeof TOOL_DETAILS>;
export type Trial = Shape<typeof TRIAL>;
export type LeftOutOperation = Shape<typeof LEFT_OUT_OPERATION>;
export type McpServer = Shape<typeof MCP_SERVER>;
export type ToolList = Shape<typeof TOOL_LIST>;
