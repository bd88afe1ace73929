const NAMES = [
  // RFC 9110 §7.6.1, RFC 9113 §8.2.2: of the connection or of the message's frame.
  "connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|content-length|expect|host|via",
  // Of the body, which the operation makes, and of its answer, which is read as the document says.
  "content-type|content-encoding|accept|accept-encoding",
  "cookie2?|set-cookie2?|proxy-.*|sec-.*|access-control-.*|mcp-.*|traceparent|tracestate",
];
const FRAMING = new RegExp(`^(${NAMES.join("|")})$`, "i");

/** Whether a header frames a request or is put in by the gateway itself: no configuration and no credential sets it. */
export function isFramingHeader(name: string): boolean {
  return FRAMING.test(name);
}
