/**
 * Names of the attributes that spans and metrics carry: OpenTelemetry's semantic conventions where they have one, else
 * `countersign.`. None holds a path, a query, an argument or anything else that a caller makes up without bound.
 */
export const ATTRIBUTE_NAMES = [
  "countersign.app",
  "countersign.grant",
  "countersign.outcome",
  "countersign.policy",
  "countersign.server",
  "error.type",
  "gen_ai.operation.name",
  "gen_ai.tool.name",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "mcp.method.name",
  "mcp.protocol.version",
  "nodejs.eventloop.state",
  "otel.component.name",
  "otel.component.type",
  "rpc.response.status_code",
  "server.address",
  "server.port",
  "url.scheme",
  "url.template",
] as const;

export type AttributeName = (typeof ATTRIBUTE_NAMES)[number];

/** What is undefined is left out. */
export type Attributes = { readonly [name in AttributeName]?: string | number | undefined };

const KNOWN = new Set(["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]);

/** `http.request.method`: a caller's own inventions are all `_OTHER` (semantic conventions, HTTP). */
export function knownMethod(method: string): string {
  return KNOWN.has(method) ? method : "_OTHER";
}
