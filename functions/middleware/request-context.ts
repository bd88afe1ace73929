import { createMiddleware } from "hono/factory";
import type { Dependencies } from "../../lib/dependencies.ts";
import { ulid } from "../../lib/ids.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Env } from "../env.ts";

/**
 * Gives each request an id of ours and a logger that carries it. An `X-Request-Id` of the caller is logged as
 * `clientRequestId` and never trusted as an identifier.
 */
export const requestContext = (dependencies: Dependencies) =>
  createMiddleware<Env>(async (c, next) => {
    const requestId = ulid(dependencies.clock.now(), dependencies.random);
    const clientRequestId = c.req.header("X-Request-Id")?.slice(0, 128);
    const logger = dependencies.logger.with({ requestId, ...(clientRequestId !== undefined && { clientRequestId }) });
    const { host } = c.env;
    c.set("request", {
      requestId,
      remoteAddress: host.remoteAddress,
      logger,
      waitUntil: (work) =>
        host.waitUntil(
          work.catch((cause: unknown) => logger.error("background work failed", { cause: causeOf(cause) })),
        ),
    });
    await next();
    c.res.headers.set("X-Request-Id", requestId);
  });
