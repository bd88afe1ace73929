import type { Context } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Env } from "../../functions/env.ts";
import type { Caller } from "../../functions/middleware/caller.ts";
import { limitCaller } from "../../functions/middleware/limits.ts";
import type { LimitConfiguration } from "../../lib/config/configuration.ts";
import type { Limiter, LimitVerdict } from "../../lib/limits/limiter.ts";
import { createLimits } from "../../lib/limits/limits.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

const EVERYTHING: LimitConfiguration = {
  ...{ name: "all", endpoints: ["management", "token"], for: {}, per: ["address"], exact: false, unavailable: "deny" },
  quota: { amount: 1, period: 86_400_000, calendar: "day" },
};
const STATE = { name: "all.day", quota: 1, window: 86_400, remaining: 0, reset: 7 };
const USED_UP: LimitVerdict = { outcome: "refused", state: STATE, retryAfter: 7 };
const AWAY: LimitVerdict = { outcome: "unavailable", name: "all.day", retryAfter: 7 };

describe("51. where a limit of requests lets nothing through", () => {
  let product: InProcess;
  let verdict: LimitVerdict;
  const limiter: Limiter = { take: () => verdict, enter: () => () => undefined };
  beforeAll(async () => {
    product = await startInProcess({
      configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER }, limits: [EVERYTHING] },
      adapt: (dependencies) => ({ ...dependencies, limiter }),
    });
  });
  afterAll(() => product.close());

  test.each([
    ["is used up", USED_UP, 429],
    ["cannot be counted", AWAY, 503],
  ])("the management API says the same seconds in headers and body when it %s", async (_, answer, status) => {
    verdict = answer;
    const response = await product.send("/api/v1/api-clients");
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, "7"]);
    expect((await response.json()).detail).toContain("Try again in 7 s.");
  });

  test.each(["gateway-settings", "me", "instance"])(
    "%s is reached, so that an owner can take the limit back",
    async (path) => {
      verdict = USED_UP;
      expect((await product.send(`/api/v1/${path}`)).status).not.toBe(429);
      const context = (of: string) => ({ req: { path: of }, get: () => ({}), header: () => undefined });
      const caller = { kind: "person", id: "user_1", organizationId: "org_1" } as Caller;
      const limits = createLimits([{ ...EVERYTHING, per: [] }], limiter);
      const limited = async (of: string) => limitCaller(limits, context(of) as unknown as Context<Env>, caller);
      await limited(`/api/v1/${path}`);
      await expect(limited("/api/v1/api-clients")).rejects.toMatchObject({ code: "too_many_requests" });
    },
  );

  test.each([
    ["is used up", USED_UP, 429],
    ["cannot be counted", AWAY, 503],
  ])("pages may read when to come again to the token endpoint when it %s", async (_, answer, status) => {
    verdict = answer;
    const response = await product.send("/oauth2/token", {
      method: "POST",
      headers: { origin: "https://page.example" },
    });
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, "7"]);
    const exposed = (response.headers.get("access-control-expose-headers") ?? "").split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["Retry-After", "RateLimit", "RateLimit-Policy"]));
  });
});
