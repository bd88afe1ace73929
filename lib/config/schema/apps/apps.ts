import * as z from "zod";
import { nearest } from "../../../kernel/suggestions.ts";
import { described, section } from "../section.ts";
import { list, text } from "../types.ts";
import { mcpBridgeApp } from "./mcp-bridge.ts";
import { mcpProxyApp } from "./mcp-proxy.ts";
import { appName } from "./names.ts";
import { oidcApp } from "./oidc.ts";

const policy = section({
  location: described(text(), "Path that the policy applies to.", "/"),
  authentication: described(
    section({
      idps: described(list(text()), "Connectors at which people sign in, or `oidcProvider`.", ["corp"]),
    }).optional(),
    "Who may access the path.",
  ),
});

/** `apps[] type: proxy` (D31): checked, but its routes are not served yet (`warnings/apps.ts`). */
const proxyApp = section({
  type: described(
    z.literal("proxy", { error: "proxy" }),
    "An HTTP reverse proxy. No effect yet: its routes are not served.",
  ),
  name: appName(),
  upstream: described(text().optional(), "URL to which requests go.", "https://app.example"),
  routePatterns: described(list(text()).optional(), "Paths to serve.", ["/"]),
  policies: described(list(policy).optional(), "Access policies by path."),
});

const TYPES = ["oidc", "mcpBridge", "mcpProxy", "proxy"];
const ACCEPTED_TYPES = `${TYPES.slice(0, -1).join(", ")} or proxy`;

/** `apps[]`, told apart by `type`. */
export const apps = described(
  list(
    z.discriminatedUnion("type", [oidcApp, mcpBridgeApp, mcpProxyApp, proxyApp], {
      error: (issue) => {
        if (issue.code !== "invalid_union") return "a mapping of keys";
        const { type } = issue.input as { readonly type?: unknown };
        const suggestion = typeof type === "string" ? nearest(type, TYPES) : undefined;
        if (type === "saml") return `${ACCEPTED_TYPES}; SAML is not served: put a broker such as Keycloak in front`;
        return `${ACCEPTED_TYPES}${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}`;
      },
    }),
  ).default([]),
  "OAuth clients of this instance, and the APIs and MCP servers behind the gateway.",
);
