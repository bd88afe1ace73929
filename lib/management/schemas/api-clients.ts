import { NAME, pageOf, type Shape, TIME, TOTAL } from "./common.ts";
import { KEY_PAIR } from "./key-pairs.ts";

const SCOPES = {
  type: "array",
  maxItems: 100,
  items: { type: "string", maxLength: 200 },
  description: "Permissions of this API and scopes of tools. None of them administers: that needs an owner.",
  examples: [["audit:read", "library:read"]],
} as const;

const RESOURCES = {
  type: "array",
  maxItems: 100,
  items: { type: "string", maxLength: 2048 },
  description: "Audiences besides this API that the client may ask tokens for, such as the URL of the MCP endpoint.",
  examples: [["https://us.example/mcp"]],
} as const;

const DESCRIPTION = { type: "string", maxLength: 2000 } as const;

export const API_CLIENT = {
  title: "ApiClient",
  type: "object",
  properties: {
    clientId: { type: "string", description: "`client_<uuid>`." },
    name: NAME,
    description: DESCRIPTION,
    scopes: SCOPES,
    resources: RESOURCES,
    createdAt: TIME,
    updatedAt: TIME,
    keyPairs: { type: "array", items: KEY_PAIR },
  },
  required: ["clientId", "name", "description", "scopes", "resources", "createdAt", "updatedAt", "keyPairs"],
  additionalProperties: false,
} as const;

const LIST = pageOf("ApiClientList", API_CLIENT);

export const API_CLIENT_LIST = {
  ...LIST,
  properties: {
    ...LIST.properties,
    total: TOTAL,
    searchedTo: {
      ...TIME,
      description:
        "Not all clients were looked at: it came to those of this time. `nextCursor` goes on; by names, the newest are sorted alone.",
    },
  },
} as const;

export const NEW_API_CLIENT = {
  title: "NewApiClient",
  type: "object",
  properties: {
    name: NAME,
    description: { ...DESCRIPTION, type: ["string", "null"] },
    scopes: SCOPES,
    resources: RESOURCES,
  },
  required: ["name"],
  additionalProperties: false,
} as const;

/** A merge patch (RFC 7396). */
export const API_CLIENT_CHANGE = {
  title: "ApiClientChange",
  description: "A merge patch (RFC 7396): what is absent stays, and a description of `null` is emptied.",
  type: "object",
  properties: NEW_API_CLIENT.properties,
  additionalProperties: false,
} as const;

export type ApiClient = Shape<typeof API_CLIENT>;
export type ApiClientList = Shape<typeof API_CLIENT_LIST>;
export type NewApiClient = Shape<typeof NEW_API_CLIENT>;
export type ApiClientChange = Shape<typeof API_CLIENT_CHANGE>;
