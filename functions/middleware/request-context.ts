import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { sha256base64url } from "#sha256";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Configuration, McpProviderConfiguration } from "../../lib/config/configuration.ts";
import { loggedSessionHash } from "../../lib/directory/host-sessions.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { LogFields } from "../../lib/logging/logger.ts";
import { SESSION_PARAMETER } from "../../lib/protocol/mcp/session-id.ts";
import { traceIdOf } from "../../lib/telemetry/trace-id.ts";
import type { Env } from "../env.ts";
import { readConsoleCookie, readSessionCookie } from "./session-cookie.ts";

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
    c.set("branding", dependencies.configuration().configuration.branding);
    const waitUntil = (work: Promise<void>) =>
      host.waitUntil(work.catch((cause: unknown) => logger.error("background work failed", { cause: causeOf(cause) })));
    c.set("request", {
      requestId,
      remoteAddress: host.remoteAddress,
      logger,
      traceId: traceIdOf(c.req.header("traceparent")),
      telemetry,
      authenticated: (caller) => c.set("caller", caller),
      waitUntil,
    });
    await dependencies.logScope.run(fields, next, waitUntil);
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

/** Characters of the hash: enough to tell sessions apart. */
const LENGTH = 16;

/**
 * The session of a request, of an agent or of a browser, for the log. Anybody with a session's id can use the session, so the
 * log gets only the beginning of its hash.
 */
function loggedSession(c: Context<Env>, configuration: Configuration): string | undefined {
  const { mcpProvider } = configuration;
  const id = mcpProvider && sessionIdOf(c.req.raw, mcpProvider);
  if (id !== undefined) return sha256base64url(id).slice(0, LENGTH);
  const cookie = browserSession(c, configuration);
  return cookie === undefined ? undefined : loggedSessionHash(cookie).slice(0, LENGTH);
}

/** The management API uses the session of the Console. All other endpoints use that of the authorization server. */
function browserSession(c: Context<Env>, configuration: Configuration): string | undefined {
  const read = c.req.path.startsWith("/api/v1/") ? readConsoleCookie : readSessionCookie;
  return read(c, configuration);
}

/** The session that a request to an MCP endpoint says it belongs to; undefined for any other request. */
function sessionIdOf(request: Request, { stream, sse }: McpProviderConfiguration): string | undefined {
  const url = new URL(request.url);
  if (url.pathname === stream?.path && stream.session !== undefined) {
    return request.headers.get(stream.session.headerName) ?? undefined;
  }
  if (url.pathname === sse?.messagePath) return url.searchParams.get(SESSION_PARAMETER) ?? undefined;
  return undefined;
}
