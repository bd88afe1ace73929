import { createMiddleware } from "hono/factory";
import type { Env } from "../env.ts";

const ALLOWED_HEADERS = "Content-Type, Authorization, Accept, MCP-Protocol-Version";
const EXPOSED_HEADERS = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id";

/**
 * Open CORS without credentials (Fetch Standard §3.3), for endpoints that browser-based MCP clients call. A preflight is
 * answered here.
 */
export const publicCors = (methods: readonly string[]) => {
  const preflight = {
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": ALLOWED_HEADERS,
    "Access-Control-Max-Age": "600",
  };
  return createMiddleware<Env>(async (c, next) => {
    if (c.req.method === "OPTIONS") c.res = new Response(null, { status: 204, headers: preflight });
    else await next();
    // Set on the answer as it is: Hono's `c.header` would copy a finished one for each header.
    const { headers } = c.res;
    headers.set("Access-Control-Allow-Origin", "*");
    headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  });
};
