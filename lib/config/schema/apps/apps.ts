import * as z from "zod";
import { about } from "#about";
import { nearest } from "../../../kernel/suggestions.ts";
import { described } from "../section.ts";
import { list } from "../types.ts";
import { mcpBridgeApp } from "./mcp-bridge.ts";
import { mcpProxyApp } from "./mcp-proxy.ts";
import { oidcApp } from "./oidc.ts";
import { webApp } from "./web-app.ts";

const TYPES = ["oidc", "mcpBridge", "mcpProxy", "proxy"];
const ACCEPTED_TYPES = `${TYPES.slice(0, -1).join(", ")} or proxy`;

/** `apps[]`, told apart by `type`. */
export const apps = described(
  list(
    z.discriminatedUnion("type", [oidcApp, mcpBridgeApp, mcpProxyApp, webApp], {
      error: (issue) => {
        if (issue.code !== "invalid_union") return "a mapping of keys";
        const { type } = issue.input as { readonly type?: unknown };
        const suggestion = typeof type === "string" ? nearest(type, TYPES) : undefined;
        if (type === "saml") return `${ACCEPTED_TYPES}; SAML is not served: put a broker such as Keycloak in front`;
        return `${ACCEPTED_TYPES}${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}`;
      },
    }),
  ).default([]),
  about("OAuth clients of this instance, and the APIs and MCP servers behind the gateway."),
);
