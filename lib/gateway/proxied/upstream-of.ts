import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { AgentSide } from "../../proxy/agent-side.ts";
import type { Upstream } from "../../proxy/upstream.ts";
import { tracedFetch } from "../../telemetry/http-client.ts";
import { upstreamHeaders } from "../credentials/upstream-headers.ts";
import type { Gateway, ToolCall } from "../gateway.ts";
import type { OutboundCredential } from "../obtain-credential.ts";
import { upstreamPrincipal } from "./upstream-principal.ts";

/** Who sends a request to an upstream, and how long it is wanted. */
export type UpstreamCaller = Pick<ToolCall, "identity" | "token" | "request" | "signal"> & {
  readonly agent: AgentSide;
};

/** The upstream of an app for one request, which carries the credential; what identifies the caller wins over configured headers. */
export function upstreamOf(
  app: McpProxyAppConfiguration,
  credential: OutboundCredential,
  { identity, request, signal, agent }: UpstreamCaller,
  { dependencies, proxies }: Pick<Gateway, "dependencies" | "proxies">,
): Upstream {
  const configured = upstreamHeaders(app.headers ?? [], { identity, requestId: request.requestId });
  const fetch = dependencies.outbound(app.tls, app.connection);
  return {
    app,
    agent,
    principal: upstreamPrincipal(app, identity),
    request,
    fetch: tracedFetch(fetch, request.telemetry, new URL(app.url).pathname),
    headers: { ...configured, ...credential.headers },
    signal,
    shared: proxies,
  };
}
