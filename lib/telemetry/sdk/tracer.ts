import { isSpanContextValid, ROOT_CONTEXT, SamplingDecision, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { parseTraceParent, TraceState } from "@opentelemetry/core";
import { RandomIdGenerator, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { Attributes } from "../attributes.ts";
import type { SenderTrace, Span, SpanOptions } from "../telemetry.ts";
import type { SpanRecord } from "./span-record.ts";

export interface TracerOptions {
  /** Share of the traces that begin here and are recorded. */
  readonly samplerRatio: number;
  /** Receives every recorded span when it ends. */
  readonly onEnd: (span: SpanRecord) => void;
}

interface Tracer {
  readonly ids: RandomIdGenerator;
  readonly isSampled: (traceId: string) => boolean;
  readonly onEnd: TracerOptions["onEnd"];
}

/** Starts spans of traces of their own, or of a sender's trace, whose sender then decides whether they are recorded. */
export function createTracer({ samplerRatio, onEnd }: TracerOptions): (options: SpanOptions) => Span {
  const sampler = new TraceIdRatioBasedSampler(samplerRatio);
  const isSampled = (traceId: string) =>
    sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  const tracer = { ids: new RandomIdGenerator(), isSampled, onEnd };
  return (options) => startSpan(tracer, options, senderOf(options));
}

function startSpan(tracer: Tracer, options: SpanOptions, parent: SpanContext | undefined, link?: SpanContext): Span {
  const context = parent === undefined ? newTrace(tracer) : continued(parent, tracer);
  const isRecorded = (context.traceFlags & TraceFlags.SAMPLED) !== 0;
  // The time of day says when it began, the other clock how long it took: the first may be set meanwhile.
  const startedAt = Date.now();
  const beganAt = performance.now();
  const attributes: Attributes[] = [];
  let { name } = options;
  let hasEnded = false;
  return {
    traceId: context.traceId,
    isRecorded,
    headers: () => traceHeaders(context),
    startChild: (child) => {
      const sender = senderOf(child);
      return sender === undefined ? startSpan(tracer, child, context) : startSpan(tracer, child, sender, context);
    },
    rename: (changed) => {
      name = changed;
    },
    set: (more) => void attributes.push(more),
    end: (errorType) => {
      if (hasEnded || !isRecorded) return;
      hasEnded = true;
      const endedAt = startedAt + (performance.now() - beganAt);
      const { kind } = options;
      tracer.onEnd({ name, kind, context, parent, link, startedAt, endedAt, attributes: [...attributes], errorType });
    },
  };
}

function newTrace({ ids, isSampled }: Tracer): SpanContext {
  const traceId = ids.generateTraceId();
  return {
    traceId,
    spanId: ids.generateSpanId(),
    traceFlags: isSampled(traceId) ? TraceFlags.SAMPLED : TraceFlags.NONE,
  };
}

function continued({ traceId, traceFlags, traceState }: SpanContext, { ids }: Tracer): SpanContext {
  return {
    traceId,
    spanId: ids.generateSpanId(),
    traceFlags: traceFlags & TraceFlags.SAMPLED,
    ...(traceState !== undefined && { traceState }),
  };
}

function senderOf({ sender }: SpanOptions): SpanContext | undefined {
  return sender && parseTraceContext(sender);
}

/** The trace that a sender goes on with (W3C Trace Context §3); undefined when it names none, or a malformed one. */
function parseTraceContext({ traceparent, tracestate }: SenderTrace): SpanContext | undefined {
  const context = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (context === null || !isSpanContextValid(context)) return undefined;
  return { ...context, isRemote: true, ...(tracestate !== undefined && { traceState: new TraceState(tracestate) }) };
}

/** The headers by which a receiver goes on with the span's trace. */
function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const flags = (traceFlags & TraceFlags.SAMPLED) === 0 ? "00" : "01";
  const tracestate = traceState?.serialize() ?? "";
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate !== "" && { tracestate }) };
}
