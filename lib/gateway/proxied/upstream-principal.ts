import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { sha256base64url } from "../../encoding.ts";
import { principalOf } from "../../mcp/sessions/principal.ts";
import { upstreamHeaders } from "../credentials/upstream-headers.ts";
import type { Identity } from "../identity.ts";

/**
 * Whom an app's upstream takes a request to be of, as one text; empty where nobody is authenticated. Where configured headers tell it
 * claims of the person, such as a tenant, tokens of one principal that differ in these are of two (checklist 39).
 */
export function upstreamPrincipal(
  { headers = [] }: Pick<McpProxyAppConfiguration, "headers">,
  identity: Identity | undefined,
): string {
  const principal = principalOf(identity);
  const telling = headers.filter(({ parts }) => parts.some((part) => "user" in part));
  if (identity === undefined || telling.length === 0) return principal;
  const told = JSON.stringify(upstreamHeaders(telling, { identity, requestId: "" }));
  return JSON.stringify([principal, sha256base64url(told)]);
}
