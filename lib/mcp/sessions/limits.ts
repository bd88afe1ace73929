import { callerKey } from "../../gateway/identity.ts";
import type { OpenStreams } from "../../gateway/open-streams.ts";
import { stopOfCaller } from "../../gateway/stopped.ts";
import type { RateLimit } from "../../kernel/rate-limit.ts";
import { jsonRpcError, REFUSED } from "../../protocol/mcp/json-rpc.ts";
import type { RequestId } from "../../protocol/mcp/message.ts";
import type { InstanceStops } from "../../stops/instance-stops.ts";
import type { StopIndex } from "../../stores/stop-subjects.ts";
import type { Caller } from "../caller.ts";
import { createEventStream, type EventStream, type EventStreamOptions } from "../event-stream.ts";
import { createResumableStream, type Resumption } from "../resumable-stream.ts";

export interface StreamLimitPorts {
  /** Bounds the streams that one caller holds open. */
  readonly openStreams: OpenStreams;
  readonly instanceStops: Pick<InstanceStops, "watch">;
  readonly ownIssuer: string | undefined;
}

/** Refuses a stream that would be held open until its client leaves, to a caller with as many as it may have. */
export function refuseStream(
  caller: Pick<Caller, "identity" | "request">,
  { openStreams }: StreamLimitPorts,
  id: RequestId | null = null,
): Response | undefined {
  if (!openStreams.isFull(callerKey(caller))) return undefined;
  const headers = { "retry-after": "15" };
  return jsonRpcError(429, REFUSED, "Too many streams are open; close one and try again.", { id, headers });
}

/**
 * Opens such a stream, which counts until it ends. It ends when its caller is stopped.
 *
 * @param resumption absent: it ends when its client leaves
 */
export function openStream(
  options: EventStreamOptions,
  caller: Pick<Caller, "identity" | "request" | "session">,
  { openStreams, instanceStops, ownIssuer }: StreamLimitPorts,
  resumption?: Resumption,
): EventStream {
  const key = callerKey(caller);
  const stream = resumption === undefined ? createEventStream(options) : createResumableStream(options, resumption);
  openStreams.add(key);
  const isStopped = (index: StopIndex) => stopOfCaller(index, caller, ownIssuer) !== undefined;
  const forget = instanceStops.watch(isStopped, stream.close);
  const end = (): void => {
    openStreams.remove(key);
    forget();
  };
  if (stream.gone.aborted) end();
  else stream.gone.addEventListener("abort", end, { once: true });
  return stream;
}

export interface StartLimitPorts {
  /** Bounds the sessions that one caller begins. */
  readonly sessionStarts: Pick<RateLimit, "take">;
}

/** Whether a caller, or an address where nobody is authenticated, may begin one more session; if so, that counts. */
export function mayStart(caller: Pick<Caller, "identity" | "request">, { sessionStarts }: StartLimitPorts): boolean {
  return sessionStarts.take(callerKey(caller));
}

/** RFC 6585 §4. */
export function tooManyStarts(id: RequestId | null): Response {
  const headers = { "retry-after": "1" };
  return jsonRpcError(429, REFUSED, "Sessions are begun too fast; try again in a second.", { id, headers });
}
