import {
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  ParentBasedSampler,
  type ReadableSpan,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { VERSION } from "../../version.ts";
import type { Span, SpanOptions } from "../telemetry.ts";
import { parseTraceContext, traceHeaders } from "./trace-context.ts";

export interface TracerOptions {
  readonly resource: Resource;
  /** Share of the traces that begin here and are recorded. */
  readonly samplerRatio: number;
  /** Receives every recorded span when it ends. */
  readonly onEnd: (span: ReadableSpan) => void;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Starts spans of traces of their own, or of a sender's trace. */
export function createTracer({ resource, samplerRatio, onEnd }: TracerOptions): (options: SpanOptions) => Span {
  const done = () => Promise.resolve();
  const processor = { onStart: () => undefined, onEnd, forceFlush: done, shutdown: done };
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("countersign", VERSION);
  return (options) => startSpan(tracer, options, senderContext(options) ?? ROOT_CONTEXT);
}

function startSpan(tracer: Tracer, { name, kind }: SpanOptions, context: Context, link?: SdkSpan): Span {
  const links = link === undefined ? [] : [{ context: link.spanContext() }];
  const span = tracer.startSpan(name, { kind: KINDS[kind], links }, context);
  const own = span.spanContext();
  return {
    traceId: own.traceId,
    isRecorded: (own.traceFlags & TraceFlags.SAMPLED) !== 0,
    headers: () => traceHeaders(own),
    startChild: (options) => {
      const sender = senderContext(options);
      if (sender !== undefined) return startSpan(tracer, options, sender, span);
      return startSpan(tracer, options, trace.setSpan(ROOT_CONTEXT, span));
    },
    rename: (changed) => void span.updateName(changed),
    set: (attributes) => {
      for (const [attribute, value] of Object.entries(attributes)) {
        if (value !== undefined) span.setAttribute(attribute, value);
      }
    },
    end: (errorType) => {
      if (errorType !== undefined) {
        span.setAttribute("error.type", errorType);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function senderContext({ sender }: SpanOptions): Context | undefined {
  const context = sender && parseTraceContext(sender);
  return context && trace.setSpanContext(ROOT_CONTEXT, context);
}
