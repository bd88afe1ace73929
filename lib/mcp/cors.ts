import type { McpProviderConfiguration } from "../config/configuration.ts";
import type { Proxies } from "../gateway/proxied/proxies.ts";
import type { ToolIndex } from "../gateway/tool-index.ts";
import { lazy } from "../kernel/lazy.ts";

/** Lets pages of allowed origins use the MCP endpoints (Fetch Standard, CORS protocol); others were refused before. */
export interface Cors {
  /** Answers a preflight, without authentication: browsers send it without any. */
  preflight(request: Request): Response;
  /** The answer as the page may read it, the challenge and the session's id included. */
  readable(request: Request, response: Response): Response;
}

const SENT = ["Authorization", "Content-Type", "Accept", "Last-Event-ID", "MCP-Protocol-Version"];
const SENT_STATELESS = ["Mcp-Method", "Mcp-Name"];
const LIMITS = ["Retry-After", "RateLimit", "RateLimit-Policy"];
const EXPOSED = ["WWW-Authenticate", "MCP-Protocol-Version", ...LIMITS, "X-Request-Id"];

export interface CorsPorts {
  readonly mcpProvider: McpProviderConfiguration;
  readonly tools: ToolIndex;
  readonly proxies: Pick<Proxies, "apps">;
}

/** Headers are listed by name: `*` does not stand for `Authorization`, and browsers before it know no `*`. */
export function createCors({ mcpProvider, tools, proxies }: CorsPorts): Cors {
  const session = sessionHeader(mcpProvider);
  const allowed = lazy(() => {
    const parameters = [...tools.values()].flatMap(({ tool }) => (tool.paramHeaders ?? []).map(({ name }) => name));
    return [...SENT, ...session, ...SENT_STATELESS, ...new Set(parameters)];
  });
  const wanted = proxies.apps.length > 0 ? wantedParameters : () => [];
  const exposed = [...EXPOSED, ...session].join(", ");
  return {
    preflight: (request) =>
      new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": "POST, GET, DELETE, OPTIONS",
          "access-control-allow-headers": [...allowed(), ...wanted(request)].join(", "),
          "access-control-max-age": "600",
        },
      }),
    readable(request, response) {
      // In place: an answer that is made anew out of another's body is a stream, which costs more than the rest.
      const { headers } = response;
      headers.append("vary", "Origin");
      const origin = request.headers.get("origin");
      if (origin !== null) {
        headers.set("access-control-allow-origin", origin);
        headers.set("access-control-expose-headers", exposed);
      }
      return response;
    },
  };
}

/** Arguments that headers repeat (RFC 9110 §5.6.2). */
const PARAMETER = /^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const MOST_PARAMETERS = 100;

/** What upstream MCP servers want repeated depends on who asks, and a preflight says that of nobody: a name of the kind will do. */
function wantedParameters({ headers }: Request): readonly string[] {
  const asked = (headers.get("access-control-request-headers") ?? "").split(",");
  const names = asked.map((name) => name.trim().toLowerCase()).filter((name) => PARAMETER.test(name));
  return [...new Set(names)].slice(0, MOST_PARAMETERS);
}

/** Clients that speak a revision with sessions send the header's usual name, also where there are none. */
function sessionHeader({ stream }: McpProviderConfiguration): readonly string[] {
  return [stream?.session?.headerName ?? "Mcp-Session-Id"];
}
