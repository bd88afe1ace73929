import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Configuration } from "../../lib/config/configuration.ts";
import {
  observeBody,
  type ServerRequest,
  serverAddress,
  startServerRequest,
} from "../../lib/telemetry/server-request.ts";
import type { Telemetry } from "../../lib/telemetry/telemetry.ts";
import type { Env } from "../env.ts";

/**
 * Measures each request until its answer has ended, as a span of the caller's trace. What an edge has to deliver is
 * delivered after that.
 */
export function measureRequests(telemetry: Telemetry, { publicURL }: Configuration): MiddlewareHandler<Env> {
  const address = serverAddress(publicURL);
  return async (c, next) => {
    const request = startServerRequest(telemetry, c.req.raw, address);
    c.set("telemetry", request.telemetry);
    await next();
    const ended = isStream(c.res)
      ? streamEnd(c, request)
      : request.end({ status: c.get("status") ?? c.res.status, route: routeOf(c) });
    const { flush } = telemetry;
    // Where each request delivers, it is one of the active ones until it has: else none would ever be seen on Lambda.
    if (flush !== undefined) c.env.host.waitUntil(Promise.resolve(ended).then(flush).finally(request.leave));
    else if (ended === undefined) request.leave();
    else void ended.then(request.leave);
  };
}

/** Resolves when the stream has ended, or whoever reads it has left. */
function streamEnd(c: Context<Env>, request: ServerRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { body, status, headers } = c.res;
  const answer = { status, route: routeOf(c) };
  const onEnd = () => {
    request.end(answer);
    resolve();
  };
  if (body === null) onEnd();
  else {
    c.req.raw.signal.addEventListener("abort", onEnd);
    // Unset first: Hono would merge the headers of both.
    c.res = undefined;
    c.res = new Response(observeBody(body, onEnd), { status, headers });
  }
  return promise;
}

function isStream({ headers }: Response): boolean {
  return headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
}

/** The template of the path that is served; middleware of every path matches it, too, and comes first. */
function routeOf(c: Context<Env>): string | undefined {
  const path = matchedRoutes(c).at(-1)?.path;
  return path === "/*" || path === "*" ? undefined : path;
}
