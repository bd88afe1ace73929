import type { WebAppConfiguration } from "../config/web-app-configuration.ts";

type Allowing = Pick<WebAppConfiguration, "allowedOrigins">;

/** How long browsers remember a preflight, seconds. */
const REMEMBERED = 600;

/**
 * The answer to a preflight (Fetch section 3.2) of an origin that the app allows: browsers send it without credentials, so that nobody
 * could be asked who they are. Undefined: it is none, or the app itself shall answer.
 */
export function preflightAnswer(request: Request, app: Allowing): Response | undefined {
  const asked = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || asked === null || !isAllowed(request, app)) return undefined;
  const headers = new Headers(readableHeaders(request, app));
  headers.set("access-control-allow-methods", asked);
  const wanted = request.headers.get("access-control-request-headers");
  if (wanted !== null) headers.set("access-control-allow-headers", wanted);
  headers.set("access-control-max-age", String(REMEMBERED));
  return new Response(null, { status: 204, headers });
}

/** What lets scripts of an allowed origin read an answer of ours: else they would not learn that they have to sign in. */
export function readableHeaders(request: Request, app: Allowing): Readonly<Record<string, string>> {
  if (app.allowedOrigins.length === 0) return {};
  const origin = request.headers.get("origin");
  if (origin === null || !isAllowed(request, app)) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "WWW-Authenticate, Retry-After, X-Request-Id",
    vary: "Origin",
  };
}

function isAllowed(request: Request, { allowedOrigins }: Allowing): boolean {
  const origin = request.headers.get("origin");
  return origin !== null && allowedOrigins.includes(origin);
}
