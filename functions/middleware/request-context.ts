import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Dependencies } from "../../lib/dependencies.ts";
import { ulid } from "../../lib/ids.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { LogFields } from "../../lib/logging/logger.ts";
import type { Env } from "../env.ts";
import { loggedSession } from "./logged-session.ts";

/**
 * Gives each request an id of ours, which every log entry of its work carries. An `X-Request-Id` of the caller is logged
 * as `clientRequestId` and never trusted as an identifier.
 */
export const requestContext = (dependencies: Dependencies) =>
  createMiddleware<Env>(async (c, next) => {
    const requestId = ulid(dependencies.clock.now(), dependencies.random);
    const telemetry = c.get("telemetry");
    const span = telemetry?.span;
    const fields = { requestId, ...(span?.isRecorded && { traceId: span.traceId }), ...fromCaller(c, dependencies) };
    const logger = dependencies.logger.with(fields);
    const { host } = c.env;
    c.set("request", {
      requestId,
      remoteAddress: host.remoteAddress,
      logger,
      telemetry,
      authenticated: (caller) => c.set("caller", caller),
      waitUntil: (work) =>
        host.waitUntil(
          work.catch((cause: unknown) => logger.error("background work failed", { cause: causeOf(cause) })),
        ),
    });
    await dependencies.logScope.run(fields, next);
    c.res.headers.set("X-Request-Id", requestId);
  });

function fromCaller(c: Context<Env>, { configuration }: Dependencies): LogFields {
  const clientRequestId = c.req.header("X-Request-Id");
  const snapshot = configuration().configuration;
  const sessionId = snapshot.logger.logSessionID ? loggedSession(c, snapshot) : undefined;
  return {
    ...(clientRequestId !== undefined && { clientRequestId }),
    ...(sessionId !== undefined && { sessionId }),
  };
}
