import type { McpProxyAppConfiguration } from "../config/app-configuration.ts";
import type { Dependencies, RequestContext } from "../dependencies.ts";
import type { JsonObject } from "../json.ts";
import type { RequestId } from "../mcp/message.ts";
import type { AgentSide } from "./agent-side.ts";
import type { SharedSessions } from "./bridge/shared-sessions.ts";
import type { Catalogs } from "./catalog/catalogs.ts";
import type { Introductions } from "./channel/introductions.ts";
import type { Generations } from "./generations.ts";
import type { UpstreamGuard } from "./guard/guard.ts";
import type { RewriteRules } from "./wire/rewrite-rules.ts";
import type { WireTarget } from "./wire/wire-target.ts";

/** What it takes to speak with the upstream of an app, in a session that there is. */
export interface SpokenUpstream {
  readonly app: Pick<McpProxyAppConfiguration, "name" | "namespace" | "url" | "timeout">;
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

/** The upstream of an app, as one request of an agent reaches it. */
export interface Upstream extends SpokenUpstream {
  readonly app: McpProxyAppConfiguration;
  readonly agent: AgentSide;
  /** Whom the agent's request is of, as one text; empty where nobody is authenticated. */
  readonly principal: string;
  readonly request: RequestContext;
  /** The same with another credential than this one, which the upstream refused; undefined where there is none to be had. */
  readonly renewed?: () => Promise<Upstream | undefined>;
  /** What all requests of the instance share. */
  readonly shared: ProxyState;
}

export interface ProxyState {
  readonly dependencies: Dependencies;
  readonly generations: Generations;
  readonly guard: UpstreamGuard;
  readonly sharedSessions: SharedSessions;
  readonly catalogs: Catalogs;
  readonly introductions: Introductions;
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
