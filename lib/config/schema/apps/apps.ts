import * as z from "zod";
import { list } from "../types.ts";
import { mcpBridgeApp } from "./mcp-bridge.ts";
import { oidcApp } from "./oidc.ts";
import { proxyApp } from "./proxy.ts";

/** `apps[]`, told apart by `type`. */
export const apps = list(
  z.discriminatedUnion("type", [oidcApp, mcpBridgeApp, proxyApp], {
    error: (issue) => {
      if (issue.code !== "invalid_union") return "a mapping of keys";
      const { type } = issue.input as { readonly type?: unknown };
      return type === "mcpProxy"
        ? "oidc, mcpBridge or proxy (mcpProxy is not supported by this version)"
        : "oidc, mcpBridge or proxy";
    },
  }),
).default([]);
