import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { createSigner, manage, postForm, tokenEndpointOf } from "./fixture.ts";
import {
  auditOutcome,
  bearer,
  call,
  type GatewayUnderTest,
  gatewayToken,
  mcpURL,
  post,
  rpc,
  startGateway,
} from "./gateway-fixture.ts";

/** Calendars for what has to be used up: their counts do not grow again while the test looks. */
const LIMITS = `limits:
  - name: notes
    for: {app: upstream, tool: /.*Note/}
    quota: 3/day
  - name: tags
    for: {tool: listTags}
    per: all
    quota: 2/month
    exact: true
  - name: slow
    for: {tool: slow}
    concurrent: 1
  - name: seldom
    for: {tool: slow}
    quota: 2/day
  - name: addresses
    for: {endpoint: token, address: 192.0.2.0/24}
    per: address
    quota: 1/day
  - name: strangers
    for: {endpoint: token}
    quota: 100/day
  - name: uploads
    for: {tool: getNote}
    bytes: 1KB/day
  - name: lists
    for: {endpoint: management}
    per: client
    rate: 1000/s
`;

interface Limited {
  readonly error: { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> };
}

/** Limits: who is let through, what the others are told, and what is recorded. */
export function limits(runtime: RuntimeUnderTest): void {
  describe("limits", { timeout: 60_000 }, () => {
    let it: GatewayUnderTest;
    beforeAll(async () => {
      it = await startGateway(runtime, { alone: true, more: LIMITS });
    });
    afterAll(() => it.stop());

    const newToken = async () => {
      const signer = await createSigner(it.owner, { scopes: ["notes:read"], resources: [mcpURL(it.us)] });
      return { signer, authorization: bearer(await gatewayToken(it.us, signer)) };
    };
    const called = async (
      authorization: Readonly<Record<string, string>>,
      tool = "getNote",
      given: object = { noteId: "1" },
    ) => post(it.us, call(tool, given), authorization);

    test("51. a quota lets as many calls through as it says, of each client apart, and tells the others when to come again", async () => {
      const [{ authorization, signer }, other] = [await newToken(), await newToken()];
      for (let allowed = 0; allowed < 3; allowed++) expect((await called(authorization)).status).toBe(200);
      const refused = await called(authorization);
      expect(refused.status).toBe(429);
      const retryAfter = Number(refused.headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(86_400);
      expect(refused.headers.get("ratelimit-policy")).toBe('"notes.day";q=3;w=86400');
      expect(refused.headers.get("ratelimit")).toMatch(/^"notes\.day";r=0;t=\d+$/);
      const { error } = (await refused.json()) as Limited;
      expect(error).toMatchObject({
        code: -32_000,
        message: expect.stringContaining('The limit "notes.day" (3 in 86400 s) is used up.'),
        data: { limit: "notes.day", quota: 3, window: 86_400, remaining: 0 },
      });
      const record = await auditOutcome(it.owner, "getNote", "denied");
      expect(record).toMatchObject({ reason: "limited", agent: signer.clientId, details: { limit: "notes.day" } });
      expect((await called(other.authorization)).status).toBe(200);
    });

    test("51. a call that was denied for something else uses nothing up", async () => {
      const { authorization } = await newToken();
      for (let denied = 0; denied < 5; denied++) {
        expect((await called(authorization, "createNote", { title: "x" })).status).toBe(403);
      }
      expect((await called(authorization)).status).toBe(200);
    });

    test("51. what is counted for all is counted over all of them", async () => {
      const tokens = [await newToken(), await newToken(), await newToken()];
      const statuses = [];
      for (const { authorization } of tokens) statuses.push((await called(authorization, "listTags", {})).status);
      expect(statuses).toEqual([200, 200, 429]);
    });

    test("51. so many calls run at the same time, and a place is free when one is over", async () => {
      const { authorization } = await newToken();
      const first = called(authorization, "slow", {}).then(rpc);
      await eventually(
        async () => it.upstream.waiting,
        (waiting) => waiting === 1,
      );
      const second = await rpc(await called(authorization, "slow", {}));
      // Where each request may be another instance's, each has a place of its own.
      if (runtime.name === "node") expect(second.error).toMatchObject({ data: { limit: "slow" } });
      it.upstream.release();
      expect((await first).result?.isError).not.toBe(true);
      if (runtime.name !== "node") return;
      // The call that had no place used nothing up of what it was counted for before.
      const third = called(authorization, "slow", {}).then(rpc);
      await eventually(
        async () => it.upstream.waiting,
        (waiting) => waiting === 1,
      );
      it.upstream.release();
      expect((await third).result?.isError).not.toBe(true);
      expect((await called(authorization, "slow", {})).status).toBe(429);
    });

    test("51. a call beside one that is refused over HTTP uses nothing up", async () => {
      const { authorization } = await newToken();
      const batches = { ...authorization, "mcp-protocol-version": "2025-03-26" };
      const [allowed, denied] = [call("getNote", { noteId: "1" }, 1), call("createNote", { title: "x" }, 2)];
      for (let refused = 0; refused < 5; refused++)
        expect((await post(it.us, [allowed, denied], batches)).status).toBe(403);
      // Where each request may be another instance's, each may keep what it gave back.
      if (runtime.name === "node") expect((await called(authorization)).status).toBe(200);
    });

    test("51. a call that is larger than the whole limit is told that it never passes", async () => {
      const { authorization } = await newToken();
      const refused = await called(authorization, "getNote", { noteId: "1".repeat(1_000) });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, null]);
      const { error } = (await refused.json()) as Limited;
      expect(error.message).toBe(
        'The limit "uploads.bytes" never lets so much through at once: 1000 bytes at most. Trying again does not help.',
      );
      expect(error.data).toEqual({ limit: "uploads.bytes" });
      const last = await called(authorization, "getNote", { noteId: "1".repeat(900) });
      await last.body?.cancel();
      const page = { ...authorization, origin: it.us.url };
      const full = await called(page, "getNote", { noteId: "1".repeat(900) });
      expect(full.headers.get("access-control-expose-headers")).toMatch(/Retry-After, RateLimit, RateLimit-Policy/);
      expect(full.headers.get("ratelimit-policy")).toBe('"uploads.bytes";q=1000;qu="content-bytes";w=86400');
    });

    test("51. addresses that the configuration names are limited before anything is read", async () => {
      const from = (address: string) =>
        postForm(
          tokenEndpointOf(it.us),
          { grant_type: "nonsense" },
          { "x-forwarded-for": address, "cf-connecting-ip": address },
        );
      const other = await from("198.51.100.7");
      expect(other.status).toBe(400);
    });

    test("51. who is denied again and again costs others nothing", async () => {
      const [{ authorization }, other] = [await newToken(), await newToken()];
      const denied = async () => {
        const answer = await called(authorization, "createNote", { title: "x" });
        await answer.body?.cancel();
        return answer.status;
      };
      // How many it takes to be told to slow down depends on how quick they come: `gateway/policies.test.ts` sets the clock.
      await Promise.all(Array.from({ length: 100 }, denied));
      expect((await called(other.authorization)).status).toBe(200);
    });

    test("51. the management API tells of no limit that is not used up", async () => {
      expect((await manage(it.owner, "GET", "/api-clients")).headers.get("ratelimit")).toBeNull();
    });

    test("51. token requests of an address are refused when its limit is used up, before they are read", async () => {
      const ask = () => postForm(tokenEndpointOf(it.us), { grant_type: "nonsense" });
      let answer = await ask();
      for (let asked = 0; asked < 100 && answer.status !== 429; asked++) {
        expect(answer.status).toBe(400);
        await answer.body?.cancel();
        answer = await ask();
      }
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(answer.headers.get("ratelimit-policy")).toBe('"strangers.day";q=100;w=86400');
      const exposed = answer.headers.get("access-control-expose-headers");
      expect(exposed).toMatch(/Retry-After, RateLimit, RateLimit-Policy/);
      expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
    });
  });
}
