import type { Attributes } from "./attributes.ts";
import type { RecordedMetric } from "./metrics.ts";

/**
 * What the instance tells collectors about itself. Recording takes microseconds, waits for nothing and never fails: what
 * cannot be delivered is lost, and counted.
 */
export interface Telemetry {
  /** Begins a trace, or goes on with the one that the sender names. Undefined when spans go nowhere. */
  startSpan(options: SpanOptions): Span | undefined;
  record(metric: RecordedMetric, value: number, attributes: Attributes): void;
  /** A request with this method has begun, 1, or has been answered, -1. */
  countActive(method: string, change: 1 | -1): void;
  /** A request belongs to this session, 1, or has been answered, -1. */
  countSession(sessionHash: string, change: 1 | -1): void;
  /**
   * Delivers what is due. Only where nothing runs between requests; whoever ends a request calls it then. Never rejects.
   */
  readonly flush?: () => Promise<void>;
}

export interface SpanOptions {
  /** Of few values: for example method and route, never a path. */
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** The trace that the sender goes on with; ignored unless well-formed. */
  readonly sender?: SenderTrace | undefined;
}

/** W3C Trace Context as a sender wrote it. */
export interface SenderTrace {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Something that takes time. What is done to it after its end has no effect. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Whether it is one of the sampled. */
  readonly isRecorded: boolean;
  /** Headers by which another service goes on with the trace (W3C Trace Context §3). */
  headers(): Readonly<Record<string, string>>;
  /** A part of this one. With a sender's trace it belongs to that one instead, and is linked to this one. */
  startChild(options: SpanOptions): Span;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** `errorType` says what failed, in one of few words; absent: nothing. */
  end(errorType?: string): void;
}

/** The telemetry of one request. */
export interface RequestTelemetry extends Pick<Telemetry, "record"> {
  /** The request belongs to this session of an agent. */
  inSession(sessionHash: string): void;
  /** What goes on; undefined when spans go nowhere. */
  readonly span: Span | undefined;
  /** Runs when the answer has ended, whole or broken off, before the request's own span does. */
  atEnd(work: () => void): void;
}
