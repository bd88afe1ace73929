import type { McpProxyAppConfiguration } from "../config/app-configuration.ts";
import { whyGivenUp } from "../kernel/cancellation.ts";
import type { Invocation } from "../openapi/response/invocation.ts";
import { beforeRepeating } from "../openapi/response/invocation.ts";
import { SESSION_NOT_FOUND } from "../protocol/mcp/json-rpc.ts";
import type { AgentSide } from "./agent-side.ts";
import type { Forwarded } from "./answer.ts";
import { LateError } from "./catalog/in-time.ts";
import { UpstreamBusy, UpstreamOpen } from "./guard/guard.ts";
import { isGatewayError, mayHavePassedOn, UpstreamRefusal } from "./refusal.ts";
import { InvalidRequestState } from "./request-state/sealed-state.ts";
import { UpstreamFailure } from "./wire/upstream-failure.ts";

/** Why an upstream gave no answer to a request. */
interface Failure extends Pick<Invocation, "cause"> {
  readonly outcome: "upstream_error" | "cancelled" | "denied";
  /** One of few words, for the record. */
  readonly reason: string;
  /** For the agent; quotes nothing of the upstream. */
  readonly text: string;
  /** The upstream's own JSON-RPC error, which goes on to the agent as it is. */
  readonly error?: UpstreamRefusal["error"];
  /** HTTP status that the error came with. */
  readonly status?: number;
}

export interface FailedRequest {
  readonly app: Pick<McpProxyAppConfiguration, "timeout">;
  /** Aborts when the agent gives up. */
  readonly signal: AbortSignal;
}

/** Undefined for what is a defect of ours. */
export function failureOf(cause: unknown, { app, signal }: FailedRequest): Failure | undefined {
  if (signal.aborted) return { outcome: "cancelled", reason: whyGivenUp(signal), text: "The call was cancelled." };
  if (cause instanceof UpstreamRefusal) return refusal(cause);
  if (cause instanceof InvalidRequestState) return invalidState(cause);
  if (cause instanceof UpstreamBusy) return { outcome: "upstream_error", reason: "busy", text: cause.message };
  if (cause instanceof UpstreamOpen) return { outcome: "upstream_error", reason: "circuit_open", text: cause.message };
  if (cause instanceof LateError) return timedOut(app);
  if (!(cause instanceof UpstreamFailure)) return undefined;
  const { reason, message, networkCause } = cause;
  const known = networkCause === undefined ? {} : { cause: networkCause };
  if (reason === "aborted") return timedOut(app);
  if (reason !== "broken_off" && reason !== "unanswered")
    return { outcome: "upstream_error", reason, text: message, ...known };
  return { outcome: "upstream_error", reason: "broken_off", text: `${message}${beforeRepeating("POST")}`, ...known };
}

function timedOut({ timeout }: FailedRequest["app"]): Failure {
  const text = `The MCP server did not answer within ${timeout} ms.${beforeRepeating("POST")}`;
  return { outcome: "upstream_error", reason: "timeout", text };
}

function invalidState({ error, message }: InvalidRequestState): Failure {
  return { outcome: "denied", reason: error.data.reason, text: message, error };
}

/**
 * The agent must not take its own token for the one that was refused (checklist 29), nor its own session for ours that was
 * forgotten: its own request succeeded.
 */
function refusal({ status, error }: UpstreamRefusal): Failure {
  const isOurs = status === 401 || status === 403 || error?.code === SESSION_NOT_FOUND;
  const reason = error === undefined || isOurs ? `http_${status}` : `error_${error.code}`;
  if (error !== undefined && !isOurs) return { outcome: "upstream_error", reason, text: error.message, error, status };
  const text = (error?.code === SESSION_NOT_FOUND ? FORGOTTEN : TEXTS[status]) ?? refusalText(status);
  return { outcome: "upstream_error", reason, text };
}

function refusalText(status: number): string {
  if (!isGatewayError(status)) return `The MCP server refused the call with the HTTP status ${status}.`;
  const advice = mayHavePassedOn(status) ? beforeRepeating("POST") : "";
  return `The MCP server did not answer; what is in front of it did, with the HTTP status ${status}.${advice}`;
}

const FORGOTTEN =
  "The MCP server forgot the session that the gateway had begun with it, again and again; the next call begins another one.";
const TEXTS: Readonly<Record<number, string>> = {
  401: "The MCP server refused the token that the gateway had obtained for this call (HTTP status 401).",
  403: "The MCP server does not allow this call with the token that the gateway had obtained for it (HTTP status 403).",
  429: "The MCP server asks for fewer calls (HTTP status 429); try again later.",
};

/**
 * An upstream's error as the answer to the agent. Of its HTTP status goes along what the stateless generation tells by one; in a
 * session 404 would say that the agent's own session is lost.
 */
export function refusedMessage(
  error: NonNullable<Failure["error"]>,
  status: number | undefined,
  { id, generation }: Pick<AgentSide, "id" | "generation">,
): Extract<Forwarded, { kind: "message" }> {
  const isTold = generation === "stateless" && (status === 400 || status === 404);
  const text = JSON.stringify({ jsonrpc: "2.0", id, error });
  return { kind: "message", text, ...(isTold && { status }) };
}
