const ALLOWED_HEADERS =
  "Authorization, Content-Type, Accept, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name";
const EXPOSED_HEADERS = "WWW-Authenticate, Mcp-Session-Id, X-Request-Id";

/** Answers a preflight, without authentication: browsers send it without any (Fetch Standard, CORS-preflight fetch). */
export function preflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "POST, GET, DELETE, OPTIONS",
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": "600",
    },
  });
}

/** Lets the page of an allowed origin read the answer, the challenge included. */
export function withCors(request: Request, response: Response): Response {
  const headers = new Headers(response.headers);
  headers.append("vary", "Origin");
  const origin = request.headers.get("origin");
  if (origin !== null) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-expose-headers", EXPOSED_HEADERS);
  }
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
