import type { JsonObject } from "../../../kernel/json.ts";
import type { RequestId } from "../../../protocol/mcp/message.ts";
import type { UpstreamSession } from "../../../stores/mcp-sessions.ts";
import { UpstreamRefusal } from "../../refusal.ts";
import type { SpokenUpstream, UpstreamRequest } from "../../spoken-upstream.ts";
import type { AnswerFacts } from "../../wire/answer-facts.ts";
import { UpstreamFailure, type UpstreamFailureReason } from "../../wire/upstream-failure.ts";
import type { Attached, OwnCall, Question, Return } from "../waiting-calls.ts";

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

/** What comes of an order, as JSON whose numbers stay as they were written. The bytes of a long answer come between two of these. */
export type TurnEvent =
  | { readonly kind: "notified"; readonly message: JsonObject }
  /** The end, as all that follow. Without a text the answer was long. */
  | { readonly kind: "answered"; readonly facts: AnswerFacts; readonly text?: string; readonly status?: number }
  | { readonly kind: "asked"; readonly question: Question }
  | { readonly kind: "crowded" }
  /** No such call waits. */
  | { readonly kind: "over" }
  | { readonly kind: "failed"; readonly failure: ToldFailure };

type ToldFailure =
  | {
      readonly kind: "refusal";
      readonly status: number;
      readonly error?: UpstreamRefusal["error"];
      readonly sessionId?: string;
    }
  | {
      readonly kind: "failure";
      readonly reason: UpstreamFailureReason;
      readonly message: string;
      readonly networkCause?: string;
    }
  /** Of ours; the log of the call's place says what. */
  | { readonly kind: "defect" };

export function toldFailure(cause: unknown): ToldFailure {
  if (cause instanceof UpstreamRefusal) {
    const { status, error, sessionId } = cause;
    return { kind: "refusal", status, ...(error && { error }), ...(sessionId !== undefined && { sessionId }) };
  }
  if (!(cause instanceof UpstreamFailure)) return { kind: "defect" };
  const { reason, message, networkCause } = cause;
  return { kind: "failure", reason, message, ...(networkCause !== undefined && { networkCause }) };
}

export function failureTold(told: ToldFailure): Error {
  switch (told.kind) {
    case "refusal": {
      const { status, error, sessionId } = told;
      const headers = new Headers(sessionId === undefined ? {} : { "mcp-session-id": sessionId });
      return new UpstreamRefusal({ status, error, headers });
    }
    case "failure":
      return new UpstreamFailure(told.reason, told.message, told.networkCause);
    case "defect":
      return new Error("The place of an upstream call failed; its log says why.");
  }
}
