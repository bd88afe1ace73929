import { API_CLIENT_SORTS } from "../../stores/api-clients.ts";
import type { API_CLIENT_OPERATIONS } from "../operations/api-clients.ts";
import { API_CLIENT, API_CLIENT_CHANGE, API_CLIENT_LIST, NEW_API_CLIENT } from "../schemas/api-clients.ts";
import type { Documentation } from "./documentation.ts";
import { CLIENT_ID, IF_MATCH, PAGE, textQueryParameter } from "./documentation.ts";

export const API_CLIENT_DOCUMENTATION = {
  listApiClients: {
    summary: "API clients of the organization",
    parameters: [
      textQueryParameter(
        "search",
        "A part of the name, description or id, in whatever case. Where there are more than 10,000 clients, it may be the beginning of the id, and of fewer than three letters names begin with it.",
      ),
      {
        name: "sort",
        in: "query",
        schema: { enum: [...API_CLIENT_SORTS], default: "-createdAt" },
        description: "`-`: newest first, or from Z to A.",
      },
      ...PAGE,
    ],
    answers: [
      {
        status: 200,
        description:
          "Newest first, unless `sort` says otherwise. A page of a search may be short or empty and still have a next one.",
        schema: API_CLIENT_LIST,
      },
    ],
  },
  createApiClient: {
    summary: "Create an API client",
    body: { schema: NEW_API_CLIENT },
    answers: [
      {
        status: 201,
        description: "The client, which has no key pairs yet.",
        schema: API_CLIENT,
        headers: ["Location", "ETag"],
      },
    ],
  },
  showApiClient: {
    summary: "One API client",
    parameters: [CLIENT_ID],
    answers: [{ status: 200, description: "The client.", schema: API_CLIENT, headers: ["ETag"] }],
  },
  changeApiClient: {
    summary: "Change an API client",
    description: "What it may be granted changes with the very next token request; issued tokens keep what they have.",
    parameters: [CLIENT_ID, IF_MATCH],
    body: { schema: API_CLIENT_CHANGE },
    answers: [{ status: 200, description: "The client.", schema: API_CLIENT, headers: ["ETag"] }],
  },
  deleteApiClient: {
    summary: "Delete an API client",
    description: "Its key pairs and its id are gone for good, and no token is issued to it.",
    parameters: [
      CLIENT_ID,
      IF_MATCH,
      {
        name: "revokeTokens",
        in: "query",
        schema: { type: "boolean", default: false },
        description: "End issued tokens, too; otherwise they live on until they expire.",
      },
    ],
    answers: [{ status: 204, description: "The client is gone." }],
  },
} as const satisfies Documentation<typeof API_CLIENT_OPERATIONS>;
