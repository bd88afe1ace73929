import { createMiddleware } from "hono/factory";
import type { Dependencies } from "../../lib/dependencies.ts";
import type { Env } from "../env.ts";

/** One entry per request: method, path without query (a query may hold secrets), status and duration. */
export const accessLog = (dependencies: Dependencies) =>
  createMiddleware<Env>(async (c, next) => {
    const startedAt = dependencies.clock.now();
    await next();
    const { disabled, level } = dependencies.configuration().configuration.http.accessLog;
    if (disabled) return;
    const { logger, remoteAddress } = c.get("request");
    logger[level]("request", {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      durationMs: dependencies.clock.now() - startedAt,
      remoteAddress,
    });
  });
