import { listOf, type Shape } from "./common.ts";

/** What is behind an app of the organization, as this instance finds it. */
export const UPSTREAM = {
  title: "Upstream",
  type: "object",
  properties: {
    app: { type: "string" },
    type: { enum: ["bridge", "proxy", "web"], description: "A REST API, an MCP server, or a web application." },
    origin: { type: "string" },
    state: { enum: ["up", "down", "unknown"], description: "`unknown`: nothing was asked of it lately." },
    reason: { type: "string" },
  },
  required: ["app", "type", "origin", "state"],
  additionalProperties: false,
} as const;

export const UPSTREAM_LIST = listOf("UpstreamList", UPSTREAM);

export type Upstream = Shape<typeof UPSTREAM>;
export type UpstreamList = Shape<typeof UPSTREAM_LIST>;
