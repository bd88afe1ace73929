import { describe, expect, test } from "vitest";
import type { LimitConfiguration } from "../../lib/config/configuration.ts";
import { GatewayError } from "../../lib/gateway/gateway-error.ts";
import type { PersonIdentity, Principal } from "../../lib/gateway/identity.ts";
import {
  countWebRequest,
  limitWebRequest,
  UNKNOWN_VISITORS,
  type WebLimitPorts,
} from "../../lib/gateway/limit-calls.ts";
import { createRateLimit } from "../../lib/kernel/rate-limit.ts";
import { ALONE, createLimiter } from "../../lib/limits/create-limiter.ts";
import { createLimits } from "../../lib/limits/limits.ts";
import { webApp } from "../support/web-app.ts";

const clock = { now: () => Date.UTC(2030, 5, 15, 12) };
const LIMIT: LimitConfiguration = {
  ...{ name: "limit", endpoints: ["web"], for: {}, per: ["client"], exact: false, unavailable: "deny" },
};
const ADA: PersonIdentity = {
  user: { sub: "user_ada" },
  ...{ issuer: "https://gateway.example", scopes: [], actChain: [], expiresAt: 1 },
};
const BOB = { ...ADA, user: { sub: "user_bob" } };
const PAYROLL = webApp("payroll", { maxBody: 1_000 });

function portsOf(limit: Partial<LimitConfiguration> = {}): WebLimitPorts {
  const stores = { limits: { lease: neverAsked } };
  const limiter = createLimiter({ stores, clock, logger: { warn: neverAsked } }, ALONE);
  return {
    limits: createLimits([{ ...LIMIT, ...limit }], limiter),
    ownIssuer: "https://gateway.example",
    unknownVisitors: createRateLimit(clock, UNKNOWN_VISITORS),
  };
}

function neverAsked(): never {
  throw new Error("nobody else counts");
}

const from = (identity: Principal | undefined, remoteAddress = "192.0.2.7") => ({
  identity,
  request: { remoteAddress },
});
const rate = { amount: 2, period: 60_000, burst: 2 };

describe("51. requests for web apps", () => {
  test("of people behind one address are counted apart", async () => {
    const ports = portsOf({ rate });
    for (let i = 0; i < 2; i++) expect(await limitWebRequest("known", from(ADA), ports)).toBeUndefined();
    expect(await limitWebRequest("known", from(ADA), ports)).toMatchObject({ status: 429, name: "limit" });
    expect(await limitWebRequest("known", from(BOB), ports)).toBeUndefined();
    expect(await limitWebRequest("anonymous", from(undefined), ports)).toBeUndefined();
  });

  test("of one address have an allowance while nobody is known, as a flood must not reach the app", async () => {
    const ports = portsOf();
    const one = () => limitWebRequest("known", from(undefined), ports);
    for (let i = 0; i < UNKNOWN_VISITORS.capacity; i++) await one();
    expect(await one()).toMatchObject({ status: 429, name: "requests without sign-in", retryAfter: 1 });
    expect(await limitWebRequest("known", from(undefined, "192.0.2.8"), ports)).toBeUndefined();
    expect(await limitWebRequest("known", from(ADA), ports)).toBeUndefined();
  });

  test.each<[what: string, body: { readonly hasBody: boolean; readonly length?: number }, counted: number]>([
    ["as it was declared", { hasBody: true, length: 300 }, 300],
    ["as the longest, where it was not declared", { hasBody: true }, 1_000],
    ["not at all, where there is none", { hasBody: false }, 0],
    ["not at all, where there is none but a length", { hasBody: false, length: 300 }, 0],
  ])("count the length of their body %s", async (_, body, counted) => {
    const ports = portsOf({ bytes: { amount: 1_000, period: 60_000 } });
    const send = (one: typeof body) => countWebRequest({ app: PAYROLL, ...one }, from(ADA), ports);
    expect(await send(body)).toBeTypeOf("function");
    expect(await send({ hasBody: true, length: 1_000 - counted || 1 })).toBeTypeOf(
      counted === 1_000 ? "object" : "function",
    );
    expect(await send({ hasBody: true, length: 1 })).toBeInstanceOf(GatewayError);
    expect(await send({ hasBody: false })).toBeTypeOf("function");
  });

  test("give back what they took when they are not carried", async () => {
    const ports = portsOf({ for: { app: ["payroll"] }, rate });
    const send = () => countWebRequest({ app: PAYROLL, hasBody: false }, from(ADA), ports);
    const [first] = [await send(), await send()];
    expect(await send()).toMatchObject({ code: "limited", limit: { status: 429 } });
    if (typeof first === "function") first();
    expect(await send()).toBeTypeOf("function");
  });
});
