import { createMiddleware } from "hono/factory";
import type { Env } from "../env.ts";

/** Headers of every answer; pages have a policy and a referrer policy of their own. HSTS (RFC 6797) only where the public URL is HTTPS: on plain HTTP browsers ignore it. */
export const securityHeaders = (publicURL: string) =>
  createMiddleware<Env>(async (c, next) => {
    await next();
    // Those of an app behind us are its own business.
    if (c.get("isCarried")) return;
    // Set on the answer as it is: Hono's `c.header` would copy a finished one for each header.
    const { headers } = c.res;
    headers.set("X-Content-Type-Options", "nosniff");
    if (!headers.has("Referrer-Policy")) headers.set("Referrer-Policy", "no-referrer");
    if (publicURL.startsWith("https:")) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
    const contentType = headers.get("Content-Type") ?? "";
    if (contentType.startsWith("text/html") && !headers.has("Content-Security-Policy")) {
      headers.set(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'",
      );
    }
  });
