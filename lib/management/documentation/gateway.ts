import type { GATEWAY_OPERATIONS } from "../operations/gateway.ts";
import { ASKED_EXPLANATION, CALL_EXPLANATION } from "../schemas/explanations.ts";
import { GATEWAY_SETTINGS, GATEWAY_SETTINGS_CHANGE } from "../schemas/gateway-settings.ts";
import { MCP_SESSION_LIST } from "../schemas/mcp-sessions.ts";
import { OVERVIEW, OVERVIEW_RANGE } from "../schemas/overview.ts";
import { NEW_TRIAL, TOOL_DETAILS, TOOL_LIST, TRIAL } from "../schemas/tools.ts";
import { UPSTREAM_LIST } from "../schemas/upstreams.ts";
import type { Documentation } from "./documentation.ts";
import { IF_MATCH, PAGE, pathParameter } from "./documentation.ts";

const TOOL_NAME = pathParameter("name", "The name that agents see.");

export const GATEWAY_DOCUMENTATION = {
  showOverview: {
    summary: "What goes on in the organization",
    parameters: [
      {
        ...{ name: "range", in: "query", schema: { ...OVERVIEW_RANGE, default: "1h" } },
        description: "How much of the past `period` tells of.",
      },
    ],
    answers: [{ status: 200, description: "Health, sessions, and the numbers of a time.", schema: OVERVIEW }],
  },
  listMcpSessions: {
    summary: "Live sessions of the organization's agents",
    parameters: PAGE,
    answers: [{ status: 200, description: "Newest first; late by some seconds at most.", schema: MCP_SESSION_LIST }],
  },
  endMcpSession: {
    summary: "End an agent's session",
    parameters: [pathParameter("sessionId", "`id` of the session.")],
    answers: [{ status: 204, description: "The session is over." }],
  },
  listTools: {
    summary: "Tools of the organization's apps",
    answers: [{ status: 200, description: "Tools, operations that are none, and MCP servers.", schema: TOOL_LIST }],
  },
  showTool: {
    summary: "One tool",
    parameters: [TOOL_NAME],
    answers: [{ status: 200, description: "The tool, of a REST API with its schemas.", schema: TOOL_DETAILS }],
  },
  tryTool: {
    summary: "Get a token to try a tool with",
    description:
      "For pages of the Console. The token is for the gateway alone and lives five minutes at most. Its issue and calls with it are recorded with who asked. 409 where nobody can call with such a token.",
    parameters: [TOOL_NAME],
    body: { schema: NEW_TRIAL },
    answers: [{ status: 201, description: "The token, which is in this answer alone.", schema: TRIAL }],
    problems: ["conflict"],
  },
  explainCall: {
    summary: "Explain what would be decided on a call",
    description:
      "The steps of the decision, as `countersign explain` gives them, with the configuration and the stops in use. Policies on servers are asked; nothing is called, exchanged or recorded. A tool of another organization is none. What is used up of limits, and who belongs to which organization, is not looked at. 409: there is no gateway.",
    body: { schema: ASKED_EXPLANATION },
    answers: [{ status: 200, description: "Each step, whatever those before it say.", schema: CALL_EXPLANATION }],
    problems: ["not_found", "conflict", "too_many_requests"],
  },
  tryTools: {
    summary: "Get a token to list tools with",
    description:
      "For pages of the Console: MCP servers tell their tools to agents, and not the same to each. The token is as that of a tool's trial.",
    body: { schema: NEW_TRIAL },
    answers: [{ status: 201, description: "The token, which is in this answer alone.", schema: TRIAL }],
    problems: ["conflict"],
  },
  listUpstreams: {
    summary: "What is behind the organization's apps",
    answers: [{ status: 200, description: "Each with its state, as this instance finds it.", schema: UPSTREAM_LIST }],
  },
  showGatewaySettings: {
    summary: "Settings of the gateway",
    answers: [
      {
        status: 200,
        description: "Each with where its value comes from.",
        schema: GATEWAY_SETTINGS,
        headers: ["ETag"],
      },
    ],
  },
  replaceGatewaySettings: {
    summary: "Set the gateway",
    parameters: [IF_MATCH],
    body: { schema: GATEWAY_SETTINGS_CHANGE },
    answers: [{ status: 200, description: "The settings.", schema: GATEWAY_SETTINGS, headers: ["ETag"] }],
  },
} as const satisfies Documentation<typeof GATEWAY_OPERATIONS>;
