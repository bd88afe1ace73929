import type { JsonObject } from "../../../json.ts";
import type { RequestId } from "../../../mcp/message.ts";
import type { UpstreamSession } from "../../../stores/mcp-sessions.ts";
import type { SpokenUpstream, UpstreamRequest } from "../../upstream.ts";
import type { Attached, OwnCall, Return } from "../waiting-calls.ts";

/** What the place of a call is told, as JSON whose numbers stay as they were written (`parseExact`). It lives as long as the call. */
export interface Order {
  readonly principal: string;
  readonly app: SpokenUpstream["app"];
  /** Id of the agent's request in our log. */
  readonly requestId: string;
  readonly agent: { readonly id: RequestId; readonly clientCapabilities: JsonObject };
  readonly headers: SpokenUpstream["headers"];
  readonly progressToken?: unknown;
  readonly what:
    | { readonly kind: "start"; readonly request: Omit<UpstreamRequest, "rules">; readonly session: UpstreamSession }
    | { readonly kind: "resume"; readonly round: number; readonly result?: JsonObject };
}

export function startOrder({ principal, request, session }: OwnCall, attached: Attached): Order {
  const { id, method, params } = request;
  return orderOf(principal, attached, { kind: "start", request: { id, method, params }, session });
}

export function resumeOrder({ principal, round, result }: Return, attached: Attached): Order {
  return orderOf(principal, attached, { kind: "resume", round, ...(result !== undefined && { result }) });
}

function orderOf(principal: string, { upstream, progressToken }: Attached, what: Order["what"]): Order {
  const { app, agent, request, headers } = upstream;
  const { name, namespace, url, timeout } = app;
  return {
    principal,
    app: { name, namespace, url, timeout },
    requestId: request.requestId,
    agent: { id: agent.id, clientCapabilities: agent.clientCapabilities },
    // There nothing is traced: what the upstream does belongs to the agent's request.
    headers: { ...headers, ...request.telemetry?.span?.headers() },
    progressToken,
    what,
  };
}
