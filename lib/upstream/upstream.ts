import type { McpProxyAppConfiguration } from "../config/app-configuration.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Random } from "../kernel/random.ts";
import type { McpSessions } from "../stores/mcp-sessions.ts";
import type { SessionChannel } from "../stores/session-channel.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { SharedSessions } from "./across-generations/shared-sessions.ts";
import type { AgentSide } from "./agent-side.ts";
import type { Catalogs } from "./catalog/catalogs.ts";
import type { Introductions } from "./channel/introductions.ts";
import type { Generations } from "./generations.ts";
import type { UpstreamGuard } from "./guard/guard.ts";
import type { StateSecretPorts } from "./request-state/sealed-state.ts";
import type { SpokenUpstream } from "./spoken-upstream.ts";
import type { HeldConnections } from "./sse/held-connections.ts";
import type { WaitingCalls } from "./waiting/waiting-calls.ts";

/** The upstream of an app, as one request of an agent reaches it. */
export interface Upstream extends SpokenUpstream {
  readonly app: McpProxyAppConfiguration;
  readonly agent: AgentSide;
  /** Whom the agent's request is of, as one text; empty where nobody is authenticated. */
  readonly principal: string;
  readonly request: RequestContext;
  /** The same with another credential than this one, which the upstream refused; undefined where there is none to be had. */
  readonly renewed?: () => Promise<Upstream | undefined>;
  readonly shared: ProxyState;
}

/** What requests to upstreams use of the instance. */
export interface UpstreamPorts extends StateSecretPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly stores: { readonly mcpSessions: Pick<McpSessions, "get" | "setUpstream"> };
  /** Between the requests of an agent's session. Absent: this runtime holds no stream open. */
  readonly sessionChannel?: SessionChannel | undefined;
  /** Where calls wait for an agent's input. Absent: none can, as nothing stays in this runtime when a request is answered. */
  readonly waitingCalls?: WaitingCalls | undefined;
  /** Connections of agents' sessions to upstreams of the legacy transport. Absent: requests share no stream (D29), and each opens one. */
  readonly upstreamConnections?: HeldConnections | undefined;
  /** Aborts when the instance begins to stop. */
  readonly stopping?: AbortSignal | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** What all requests of the instance share. */
export interface ProxyState extends UpstreamPorts {
  readonly generations: Generations;
  readonly guard: UpstreamGuard;
  readonly sharedSessions: SharedSessions;
  readonly catalogs: Catalogs;
  readonly introductions: Introductions;
}
