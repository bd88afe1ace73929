import type { Operation } from "./operation.ts";

export const GATEWAY_OPERATIONS = [
  {
    operationId: "showOverview",
    method: "get",
    path: "/api/v1/overview",
    access: { role: "member" },
  },
  {
    operationId: "listMcpSessions",
    method: "get",
    path: "/api/v1/mcp-sessions",
    access: { role: "member", scope: "sessions:read" },
  },
  {
    operationId: "endMcpSession",
    method: "delete",
    path: "/api/v1/mcp-sessions/{sessionId}",
    access: { role: "owner", scope: "sessions:write" },
  },
  {
    operationId: "listTools",
    method: "get",
    path: "/api/v1/tools",
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "showTool",
    method: "get",
    path: "/api/v1/tools/{name}",
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "tryTool",
    method: "post",
    path: "/api/v1/tools/{name}/trials",
    access: { role: "member" },
  },
  {
    operationId: "explainCall",
    method: "post",
    path: "/api/v1/explanations",
    access: { role: "owner" },
  },
  {
    operationId: "tryTools",
    method: "post",
    path: "/api/v1/trials",
    access: { role: "member" },
  },
  {
    operationId: "listUpstreams",
    method: "get",
    path: "/api/v1/upstreams",
    access: { role: "member", scope: "tools:read" },
  },
  {
    operationId: "showGatewaySettings",
    method: "get",
    path: "/api/v1/gateway-settings",
    access: { role: "member", isForFirstOrganization: true },
  },
  {
    operationId: "replaceGatewaySettings",
    method: "put",
    path: "/api/v1/gateway-settings",
    access: { role: "owner", isForFirstOrganization: true },
  },
] as const satisfies readonly Operation[];
