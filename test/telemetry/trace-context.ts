import { randomBytes } from "node:crypto";

/** A trace that a caller brings along. */
export interface CallerTrace {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceparent: string;
}

export function callerTrace({ isSampled = true } = {}): CallerTrace {
  const traceId = randomBytes(16).toString("hex");
  const spanId = randomBytes(8).toString("hex");
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}` };
}
