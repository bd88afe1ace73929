import type { McpProxyAppConfiguration } from "../config/app-configuration.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { RequestId } from "../protocol/mcp/message.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { AgentSide } from "./agent-side.ts";
import type { RewriteRules } from "./wire/rewrite-rules.ts";
import type { WireTarget } from "./wire/wire-target.ts";

/** What it takes to speak with the upstream of an app, in a session that there is. */
export interface SpokenUpstream {
  readonly app: Pick<McpProxyAppConfiguration, "name" | "namespace" | "url" | "timeout" | "rules">;
  readonly agent: Pick<
    AgentSide,
    "generation" | "id" | "clientCapabilities" | "hearsRequests" | "relay" | "openAnswer"
  >;
  readonly request: Pick<RequestContext, "requestId" | "logger" | "waitUntil" | "telemetry">;
  readonly fetch: typeof globalThis.fetch;
  /** What each HTTP request carries: the credential and the configured headers. Nothing that the agent sent is among them (checklist 24). */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the agent gives up. */
  readonly signal: AbortSignal;
}

/** A request as the upstream gets it: its own names and URIs. */
export interface UpstreamRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** What becomes of its answer on the way to the agent. */
  readonly rules: RewriteRules;
  /** What clients repeat in headers (`Mcp-Param-*`), by their names; the stateless generation alone has them. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** Where one HTTP request goes. */
export function wireTarget(
  upstream: SpokenUpstream,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): WireTarget {
  const { app, fetch } = upstream;
  return { url: app.url, fetch, headers: { ...upstream.headers, ...headers }, signal };
}
