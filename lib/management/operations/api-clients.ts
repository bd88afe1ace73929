import { API_CLIENT, API_CLIENT_CHANGE, API_CLIENT_LIST, NEW_API_CLIENT } from "../schemas/api-clients.ts";
import { CLIENT_ID, IF_MATCH, type Operation, PAGE, textQueryParameter } from "./operation.ts";

const PATH = "/api/v1/api-clients/{clientId}";

export const API_CLIENT_OPERATIONS = [
  {
    operationId: "listApiClients",
    method: "get",
    path: "/api/v1/api-clients",
    summary: "API clients of the organization",
    parameters: [textQueryParameter("search", "A part of the name, description or id, in whatever case."), ...PAGE],
    answers: [
      {
        status: 200,
        description: "Oldest first. A page of a search may be short or empty and still have a next one.",
        schema: API_CLIENT_LIST,
      },
    ],
    access: { role: "member" },
  },
  {
    operationId: "createApiClient",
    method: "post",
    path: "/api/v1/api-clients",
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
    access: { role: "owner" },
  },
  {
    operationId: "showApiClient",
    method: "get",
    path: PATH,
    summary: "One API client",
    parameters: [CLIENT_ID],
    answers: [{ status: 200, description: "The client.", schema: API_CLIENT, headers: ["ETag"] }],
    access: { role: "member" },
  },
  {
    operationId: "changeApiClient",
    method: "patch",
    path: PATH,
    summary: "Change an API client",
    description: "What it may be granted changes with the very next token request; issued tokens keep what they have.",
    parameters: [CLIENT_ID, IF_MATCH],
    body: { schema: API_CLIENT_CHANGE },
    answers: [{ status: 200, description: "The client.", schema: API_CLIENT, headers: ["ETag"] }],
    access: { role: "owner" },
  },
  {
    operationId: "deleteApiClient",
    method: "delete",
    path: PATH,
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
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
