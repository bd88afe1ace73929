import { metaOf } from "../../mcp/message.ts";
import { PROTOCOL_VERSION } from "../../mcp/meta.ts";
import { STATELESS_REVISIONS } from "../../mcp/revisions.ts";
import { encodeHeader } from "../../mcp/stateless/header-value.ts";
import { nameOf } from "../../mcp/stateless/named-by.ts";
import type { UpstreamRequest } from "../upstream.ts";

/** What the headers repeat of a request (MCP 2026-07-28, Transports, Standard Request Headers), made of the body that goes out. */
export function statelessHeaders({
  method,
  params,
  paramHeaders = {},
}: Pick<UpstreamRequest, "method" | "params" | "paramHeaders">): Readonly<Record<string, string>> {
  const version = metaOf(params)[PROTOCOL_VERSION];
  const name = nameOf(method, params);
  const repeated = Object.entries(paramHeaders).map(([header, value]) => [header.toLowerCase(), encodeHeader(value)]);
  return {
    ...Object.fromEntries(repeated),
    "mcp-protocol-version": typeof version === "string" ? version : STATELESS_REVISIONS[0],
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}
