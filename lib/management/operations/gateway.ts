import { GATEWAY_SETTINGS, GATEWAY_SETTINGS_CHANGE } from "../schemas/gateway-settings.ts";
import { MCP_SESSION_LIST } from "../schemas/mcp-sessions.ts";
import { OVERVIEW } from "../schemas/overview.ts";
import { TOOL_LIST } from "../schemas/tools.ts";
import { UPSTREAM_LIST } from "../schemas/upstreams.ts";
import { IF_MATCH, type Operation, PAGE, pathParameter } from "./operation.ts";

export const GATEWAY_OPERATIONS = [
  {
    operationId: "showOverview",
    method: "get",
    path: "/api/v1/overview",
    summary: "What goes on in the organization",
    answers: [{ status: 200, description: "Health, sessions, and the numbers of the last hour.", schema: OVERVIEW }],
    access: { role: "member" },
  },
  {
    operationId: "listMcpSessions",
    method: "get",
    path: "/api/v1/mcp-sessions",
    summary: "Live sessions of the organization's agents",
    parameters: PAGE,
    answers: [{ status: 200, description: "Newest first; late by some seconds at most.", schema: MCP_SESSION_LIST }],
    access: { role: "member", scope: "sessions:read" },
  },
  {
    operationId: "endMcpSession",
    method: "delete",
    path: "/api/v1/mcp-sessions/{sessionId}",
    summary: "End an agent's session",
    parameters: [pathParameter("sessionId", "`id` of the session.")],
    answers: [{ status: 204, description: "The session is over." }],
    access: { role: "owner", scope: "sessions:write" },
  },
  {
    operationId: "listTools",
    method: "get",
    path: "/api/v1/tools",
    summary: "Tools of the organization's apps",
    answers: [{ status: 200, description: "Tools, operations that are none, and MCP servers.", schema: TOOL_LIST }],
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "listUpstreams",
    method: "get",
    path: "/api/v1/upstreams",
    summary: "What is behind the organization's apps",
    answers: [{ status: 200, description: "Each with its state, as this instance finds it.", schema: UPSTREAM_LIST }],
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "showGatewaySettings",
    method: "get",
    path: "/api/v1/gateway-settings",
    summary: "Settings of the gateway",
    answers: [
      {
        status: 200,
        description: "Each with where its value comes from.",
        schema: GATEWAY_SETTINGS,
        headers: ["ETag"],
      },
    ],
    access: { role: "member", isForFirstOrganization: true },
  },
  {
    operationId: "replaceGatewaySettings",
    method: "put",
    path: "/api/v1/gateway-settings",
    summary: "Set the gateway",
    parameters: [IF_MATCH],
    body: { schema: GATEWAY_SETTINGS_CHANGE },
    answers: [{ status: 200, description: "The settings.", schema: GATEWAY_SETTINGS, headers: ["ETag"] }],
    access: { role: "owner", isForFirstOrganization: true },
  },
] as const satisfies readonly Operation[];
