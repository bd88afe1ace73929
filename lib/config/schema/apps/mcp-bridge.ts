import * as z from "zod";
import { section } from "../section.ts";
import { choice, flag, list, positiveDuration, text, url } from "../types.ts";
import { appName } from "./name.ts";

const CURATION = "curation of the tools of an OpenAPI document";
const POLICIES = "policies on inbound calls";
const DOCUMENT = "a file:// or https:// URL";

/** Where an OpenAPI document can be read from. */
export const DOCUMENT_URI = /^(file|https):\/\/./;

const inboundTool = section({
  name: text("a tool's name without its namespace, or /a regular expression/").refine(isToolName, {
    error: "a tool's name without its namespace, or /a valid regular expression/",
  }),
  scopes: list(
    text("a scope (RFC 6749 section 3.3)").regex(/^[!#-[\]-~]+$/, { error: "a scope (RFC 6749 section 3.3)" }),
  ),
});

const authorization = section({
  inbound: section(
    { tools: list(inboundTool).default([]) },
    { cel: POLICIES, opa: POLICIES, rules: POLICIES, stepUp: "step-up authentication" },
  ).prefault({}),
  outbound: section({ type: choice(["unprotected"]) }, { tokenExchange: "token exchange toward upstreams" }).optional(),
});

const openapi = section(
  {
    spec: section({
      uri: text(DOCUMENT).regex(DOCUMENT_URI, { error: DOCUMENT }).optional(),
      data: z.string({ error: "an OpenAPI document as text" }).optional(),
    }).optional(),
    baseURL: url().optional(),
  },
  { include: CURATION, exclude: CURATION, overrides: CURATION },
);

/** `apps[] type: mcpBridge`: a REST API as MCP tools. Where its document is read from is checked in `catalogs.ts`. */
export const mcpBridgeApp = section({
  type: z.literal("mcpBridge"),
  name: appName(),
  mode: choice(["openapi"]).optional(),
  organization: text().optional(),
  toolNamespace: section({ disabled: flag().default(false), name: text().optional() }).prefault({}),
  openapi,
  upstream: section(
    { timeout: positiveDuration().default(30_000) },
    {
      tls: "TLS settings of upstreams",
      headers: "headers toward upstreams",
      auth: "credentials toward upstreams",
      shareable: "pooled upstream sessions",
    },
  ).prefault({}),
  authorization: authorization.prefault({}),
});

function isToolName(value: string): boolean {
  if (!(value.length > 2 && value.startsWith("/") && value.endsWith("/"))) return !value.startsWith("/");
  try {
    return new RegExp(`^(?:${value.slice(1, -1)})$`) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
