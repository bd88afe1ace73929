/** Version ff is none. Of a later version than 00 more may follow (W3C Trace Context, level 2, section 3.2). No id is all zeros. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace that a sender goes on with, 32 hexadecimal digits; undefined for whatever is no `traceparent`. */
export function traceIdOf(traceparent: unknown): string | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === "00" && more !== undefined ? undefined : traceId;
}
