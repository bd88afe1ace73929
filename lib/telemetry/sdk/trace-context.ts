import { isSpanContextValid, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { parseTraceParent, TraceState } from "@opentelemetry/core";
import type { SenderTrace } from "../telemetry.ts";

/** The trace that a sender goes on with (W3C Trace Context §3); undefined when it names none, or a malformed one. */
export function parseTraceContext({ traceparent, tracestate }: SenderTrace): SpanContext | undefined {
  const context = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (context === null || !isSpanContextValid(context)) return undefined;
  return { ...context, isRemote: true, ...(tracestate !== undefined && { traceState: new TraceState(tracestate) }) };
}

/** The headers by which a receiver goes on with the span's trace. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const flags = (traceFlags & TraceFlags.SAMPLED) === 0 ? "00" : "01";
  const tracestate = traceState?.serialize() ?? "";
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate !== "" && { tracestate }) };
}
