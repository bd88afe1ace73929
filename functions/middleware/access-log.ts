import { createMiddleware } from "hono/factory";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Env } from "../env.ts";

/**
 * One entry per request: method, path without query (a query may hold secrets), status, duration, and who sent it. An
 * event stream is still going on when its entry is written, so its time is called what it is: that until the headers.
 */
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
      app: c.get("app"),
      status: c.get("status") ?? c.res.status,
      [isStream(c.res) ? "headersMs" : "durationMs"]: dependencies.clock.now() - startedAt,
      remoteAddress,
      caller: c.get("caller"),
      userAgent: c.req.header("User-Agent"),
    });
  });

function isStream({ headers }: Response): boolean {
  return headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
}
