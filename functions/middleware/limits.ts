import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Clock } from "../../lib/kernel/clock.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { createRateLimit } from "../../lib/kernel/rate-limit.ts";
import type { LimitEndpoint, LimitSubject, Limits } from "../../lib/limits/limits.ts";
import { type LimitRefusal, refusalHeaders, refusalOf } from "../../lib/limits/refusal.ts";
import { sourceKey } from "../../lib/net/source.ts";
import type { Env } from "../env.ts";
import type { Caller } from "./caller.ts";

/** Token requests of one address at one instance, where no limit of the configuration says otherwise (D170). */
const FLOOD = { capacity: 20_000, perSecond: 5_000 };

const TOO_MANY_TOKENS: LimitRefusal = {
  status: 429,
  name: "token requests",
  message: "Too many token requests come from this address. Try again in 1 s.",
  retryAfter: 1,
};

/** Counts token requests by their address, before the body is read. RFC 6749 §5.2 has no code for it: clients go by the status. */
export function limitTokenRequests(limits: Limits, clock: Clock): MiddlewareHandler<Env> {
  const flood = createRateLimit(clock, FLOOD);
  return createMiddleware<Env>(async (c, next) => {
    const address = addressOf(c);
    const refusal = flood.take(sourceKey(address))
      ? await counted(limits, "token", "anonymous", { address })
      : TOO_MANY_TOKENS;
    if (refusal === undefined) return next();
    const body = { error: "temporarily_unavailable", error_description: refusal.message };
    return c.json(body, refusal.status, { ...refusalHeaders(refusal), "Cache-Control": "no-store" });
  });
}

/** Requests of one address for what no limit of the configuration counts. */
const RESCUES = { capacity: 1_000, perSecond: 100 };

const TOO_MANY_RESCUES: LimitRefusal = {
  status: 429,
  name: "settings",
  message: "Too many requests come from this address. Try again in 1 s.",
  retryAfter: 1,
};

/** What the Console needs to take a limit back that lets nothing else through: no limit of the configuration counts it. */
const UNLIMITED: ReadonlySet<string> = new Set(["/api/v1/gateway-settings", "/api/v1/me", "/api/v1/instance"]);

/** The same for the management API. */
export function limitManagement(limits: Limits, clock: Clock): MiddlewareHandler<Env> {
  const rescues = createRateLimit(clock, RESCUES);
  return createMiddleware<Env>(async (c, next) => {
    const address = addressOf(c);
    if (!UNLIMITED.has(c.req.path)) refuse(c, await counted(limits, "management", "anonymous", { address }));
    else if (!rescues.take(sourceKey(address))) refuse(c, TOO_MANY_RESCUES);
    return next();
  });
}

/**
 * Counts a request of the management API by who sends it.
 *
 * @throws ProblemError `too_many_requests`, `unavailable`
 */
export async function limitCaller(limits: Limits, c: Context<Env>, caller: Caller): Promise<void> {
  if (UNLIMITED.has(c.req.path)) return;
  const { kind, id, organizationId } = caller;
  const who = kind === "person" ? { person: id, client: id } : { client: id };
  refuse(
    c,
    await counted(limits, "management", "known", { address: addressOf(c), organization: organizationId, ...who }),
  );
}

function refuse(c: Context<Env>, refusal: LimitRefusal | undefined): void {
  if (refusal === undefined) return;
  for (const [name, value] of Object.entries(refusalHeaders(refusal))) c.header(name, value);
  throw new ProblemError(refusal.status === 429 ? "too_many_requests" : "unavailable", refusal.message);
}

async function counted(
  limits: Limits,
  endpoint: LimitEndpoint,
  stage: Parameters<Limits["takeRequest"]>[1],
  subject: LimitSubject,
): Promise<LimitRefusal | undefined> {
  const verdict = limits.takeRequest(endpoint, stage, subject);
  return refusalOf(verdict instanceof Promise ? await verdict : verdict);
}

function addressOf(c: Context<Env>): string | undefined {
  return c.get("request").remoteAddress;
}
