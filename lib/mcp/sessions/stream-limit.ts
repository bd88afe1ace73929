import type { Gateway } from "../../gateway/gateway.ts";
import type { Caller } from "../caller.ts";
import { createEventStream, type EventStream, type EventStreamOptions } from "../event-stream.ts";
import { jsonRpcError, REFUSED } from "../json-rpc.ts";
import type { RequestId } from "../message.ts";
import { callerKey } from "./caller-key.ts";

/** Refuses a stream that would be held open until its client leaves, to a caller with as many as it may have. */
export function refuseStream(
  caller: Pick<Caller, "identity" | "request">,
  { openStreams }: Pick<Gateway, "openStreams">,
  id: RequestId | null = null,
): Response | undefined {
  if (!openStreams.isFull(callerKey(caller))) return undefined;
  const headers = { "retry-after": "15" };
  return jsonRpcError(429, REFUSED, "Too many streams are open; close one and try again.", { id, headers });
}

/** Opens such a stream, which counts until it ends. */
export function openStream(
  options: EventStreamOptions,
  caller: Pick<Caller, "identity" | "request">,
  { openStreams }: Pick<Gateway, "openStreams">,
): EventStream {
  const key = callerKey(caller);
  const stream = createEventStream(options);
  openStreams.add(key);
  stream.gone.addEventListener("abort", () => openStreams.remove(key), { once: true });
  return stream;
}
