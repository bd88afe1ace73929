import type { McpBridgeAppConfiguration, UpstreamCredential } from "../../config/app-configuration.ts";
import { base64, utf8 } from "../../kernel/encoding.ts";
import type { BridgeTool, SecurityScheme } from "../../openapi/catalog.ts";
import type { Carried } from "../../openapi/invoke.ts";
import { type GivenCredentials, metAlternative } from "../../openapi/security.ts";
import type { OutboundCredential, ToolCall } from "../tool-call.ts";
import type { BridgedTool } from "../tool-index.ts";
import { upstreamHeaders } from "./upstream-headers.ts";

type App = Pick<McpBridgeAppConfiguration, "auth" | "headers" | "outbound"> & {
  readonly catalog: Pick<McpBridgeAppConfiguration["catalog"], "securitySchemes">;
};

/** Which of `upstream.auth` a tool's calls carry, by the names of the schemes. */
export function schemesInUse(app: App, { request }: Pick<BridgeTool, "request">): readonly string[] {
  if (app.auth === undefined || request.security === undefined) return [];
  const met = metAlternative(request.security, app.catalog.securitySchemes, givenCredentials(app));
  return (met ?? []).filter((name) => Object.hasOwn(app.auth ?? {}, name));
}

/** What a tool's calls carry of `upstream.auth`. */
function upstreamAuth(app: App, tool: Pick<BridgeTool, "request">): Carried {
  const parts = schemesInUse(app, tool).map((name) => {
    const scheme = app.catalog.securitySchemes[name] as SecurityScheme;
    return credentialPart(
      scheme,
      (app.auth as Readonly<Record<string, UpstreamCredential>>)[name] as UpstreamCredential,
    );
  });
  return {
    headers: Object.fromEntries(parts.flatMap(({ headers }) => Object.entries(headers))),
    query: parts.flatMap(({ query = [] }) => query),
    cookies: parts.flatMap(({ cookies = [] }) => cookies),
  };
}

function givenCredentials({ auth = {}, headers = [], outbound }: App): GivenCredentials {
  return {
    schemes: new Set(Object.keys(auth)),
    headers: new Set(headers.map(({ name }) => name)),
    isExchanged: outbound.type !== "unprotected",
  };
}

/** RFC 7617, RFC 6750, and OpenAPI's Security Scheme Object for API keys. The configuration sees to the credential's shape. */
function credentialPart(scheme: SecurityScheme, credential: UpstreamCredential): Carried {
  if ("username" in credential) {
    const pair = base64(utf8(`${credential.username}:${credential.password}`));
    return { headers: { authorization: `Basic ${pair}` } };
  }
  const { value } = credential;
  if (scheme.kind !== "apiKey") return { headers: { authorization: `Bearer ${value}` } };
  const { name } = scheme;
  switch (scheme.in) {
    case "header":
      return { headers: { [name.toLowerCase()]: value } };
    case "query":
      return { headers: {}, query: [[name, value]] };
    case "cookie":
      return { headers: {}, cookies: [[name, value]] };
  }
}

/**
 * Everything that one call carries toward its upstream beside the arguments. What identifies the caller wins: the
 * exchanged token over `upstream.auth`, and that over `upstream.headers`.
 */
export function carriedBy(
  { app, open }: Pick<BridgedTool, "app" | "open">,
  { headers }: OutboundCredential,
  { identity, request }: Pick<ToolCall, "identity" | "request">,
): Carried {
  const auth = upstreamAuth(app, open());
  const configured = upstreamHeaders(app.headers ?? [], { identity, requestId: request.requestId });
  return { ...auth, headers: { ...configured, ...auth.headers, ...headers } };
}
