import * as z from "zod";
import { nearest } from "../../suggest.ts";
import { described } from "../described.ts";
import { list } from "../types.ts";
import { mcpBridgeApp } from "./mcp-bridge.ts";
import { mcpProxyApp } from "./mcp-proxy.ts";
import { oidcApp } from "./oidc.ts";
import { proxyApp } from "./proxy.ts";

const TYPES = ["oidc", "mcpBridge", "mcpProxy", "proxy"];

/** `apps[]`, told apart by `type`. */
export const apps = described(
  list(
    z.discriminatedUnion("type", [oidcApp, mcpBridgeApp, mcpProxyApp, proxyApp], {
      error: (issue) => {
        if (issue.code !== "invalid_union") return "a mapping of keys";
        const { type } = issue.input as { readonly type?: unknown };
        const suggestion = typeof type === "string" ? nearest(type, TYPES) : undefined;
        return `${TYPES.slice(0, -1).join(", ")} or proxy${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}`;
      },
    }),
  ).default([]),
  "Clients of the provider, APIs and MCP servers behind the gateway.",
);
