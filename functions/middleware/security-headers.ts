import { createMiddleware } from "hono/factory";
import type { Env } from "../env.ts";

/** Headers of every answer. HSTS (RFC 6797) only where the public URL is HTTPS: on plain HTTP browsers ignore it. */
export const securityHeaders = (publicURL: string) =>
  createMiddleware<Env>(async (c, next) => {
    await next();
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Referrer-Policy", "no-referrer");
    if (publicURL.startsWith("https:")) c.header("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
    const contentType = c.res.headers.get("Content-Type") ?? "";
    if (contentType.startsWith("text/html")) {
      c.header(
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'",
      );
    }
  });
