import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Clock } from "../../lib/kernel/clock.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { createRateLimit } from "../../lib/kernel/rate-limit.ts";
import { sourceKey } from "../../lib/net/source.ts";
import { essence } from "../../lib/protocol/http/media-type.ts";
import { readBody } from "../../lib/protocol/http/read-body.ts";
import type { Delivery } from "../../lib/signals/receive.ts";
import type { SignalReceiver } from "../../lib/signals/receiver.ts";
import { SetError, SignalNotTakenError } from "../../lib/signals/set-error.ts";
import { signalActor } from "../../lib/stops/signalled-stops.ts";
import type { Env, Handler } from "../env.ts";

/** Events of one address at one instance: anybody may post, and a signature takes time to be refused. */
const FLOOD = { capacity: 200, perSecond: 50 };
/** Bytes of a body: more than a token may have. */
const LARGEST = 20_480;
/** Seconds after which an event that could not be taken may be sent again. */
const RETRY_AFTER = "5";

/** Counts events by the address that they come from, before anything of them is read. */
export function limitSignals(clock: Clock): MiddlewareHandler<Env> {
  const flood = createRateLimit(clock, FLOOD);
  return createMiddleware<Env>(async (c, next) => {
    if (flood.take(sourceKey(c.get("request").remoteAddress))) return next();
    c.header("Retry-After", "1");
    throw new ProblemError("too_many_requests", "Too many events come from this address. Try again in 1 s.");
  });
}

/** Takes a security event that is posted (RFC 8935 §2): 202 once what it brings about is durable. */
export const pushedSignals =
  (receiver: SignalReceiver): Handler =>
  async (c) => {
    const connector = c.req.param("connector") ?? "";
    if (!receiver.isPushedFor(connector))
      throw new ProblemError("not_found", "No security events are posted here. Look at signals of the configuration.");
    const { requestId, logger, waitUntil, authenticated } = c.get("request");
    const delivery: Delivery = { requestId, logger, waitUntil };
    c.header("Cache-Control", "no-store");
    try {
      await receiver.admit(connector, c.req.header("Authorization"), delivery);
      await receiver.take(connector, await readToken(c.req.raw), delivery);
      authenticated(signalActor(connector));
      return c.body(null, 202);
    } catch (error) {
      if (error instanceof SetError) return c.json({ err: error.code, description: error.message }, 400, LANGUAGE);
      if (!(error instanceof SignalNotTakenError)) throw error;
      logger.error("security event not taken", { connector, cause: error.message });
      c.header("Retry-After", RETRY_AFTER);
      throw new ProblemError("unavailable", "The event cannot be taken for now. Send it again.");
    }
  };

/** Of the descriptions (RFC 8935 §2.3). */
const LANGUAGE = { "Content-Language": "en" };

/** @throws {SetError} `invalid_request` */
async function readToken(request: Request): Promise<string> {
  if (essence(request.headers.get("Content-Type")) !== "application/secevent+jwt")
    throw new SetError("invalid_request", "The body has another media type; accepted: application/secevent+jwt.");
  const bytes = await readBody(request, LARGEST);
  if (bytes === undefined) throw new SetError("invalid_request", `The body has more than ${LARGEST} bytes.`);
  return new TextDecoder().decode(bytes).trim();
}
