import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startAuthorizationServer, type TestAuthorizationServer } from "../authorization-server.ts";
import { guarded, RESOURCE, trusted } from "./guarded.ts";

let server: TestAuthorizationServer;
beforeAll(async () => {
  server = await startAuthorizationServer();
});
afterAll(() => server.stop());

const good = { aud: RESOURCE, scope: "notes:read" };
const keysFetched = ({ fetched }: { readonly fetched: readonly string[] }) =>
  fetched.filter((url) => url === `${server.issuer}/jwks`).length;
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const start = (more: Parameters<typeof trusted>[1] = {}, fetch?: typeof globalThis.fetch) =>
  guarded({ servers: [trusted(server.wellKnown, more)], ...(fetch !== undefined && { fetch }) });
const invented = (kid: string) => server.sign(good, { kid });

/** A fetch whose answer with keys, the one of this number, waits for `release`. */
function holding(number: number) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let answers = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await globalThis.fetch(input, init);
    if (String(input).endsWith("/jwks") && ++answers === number) await released;
    return answer;
  };
  return { fetch, release, isHolding: () => answers === number };
}

describe("a new key at the authorization server", () => {
  test("is learnt by one fetch, however many requests come with it at once, and none fails", async () => {
    const it = start();
    expect(await it.statusOf(await server.sign(good))).toBe(200);
    await server.rotate();
    const tokens = await Promise.all(many(50, (n) => server.sign({ ...good, jti: `token-${n}` })));
    const statuses = await Promise.all(tokens.map((token) => it.statusOf(token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(keysFetched(it)).toBe(2);
  });

  test("is learnt as well when it comes again and again, at any pace", async () => {
    const it = start();
    for (let round = 0; round < 40; round++) {
      await server.rotate();
      expect(await it.statusOf(await server.sign(good))).toBe(200);
      it.clock.pass(100);
    }
    expect(keysFetched(it)).toBe(40);
  });

  test("costs none of 50 clients with real tokens a request, while old and new ones are in use", async () => {
    const it = start();
    const tokens: string[] = [];
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) {
      if (round > 0) await server.rotate("published");
      tokens.push(...(await Promise.all(many(50, () => server.token(RESOURCE, "jwt")))));
      statuses.push(...(await Promise.all(tokens.toReversed().map((token) => it.statusOf(token)))));
      it.clock.pass(10_000);
    }
    expect(statuses).toHaveLength(300);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(keysFetched(it)).toBe(3);
  });

  test("costs none of them a request while it is being rotated under them", async () => {
    const it = start();
    const statuses: number[] = [];
    const client = async (index: number) => {
      for (let round = 0; round < 4; round++) {
        if (index === 0 && round > 0) await server.rotate("published");
        const token = await server.token(RESOURCE, "jwt");
        for (let call = 0; call < 2; call++) statuses.push(await it.statusOf(token));
      }
    };
    await Promise.all(many(50, client));
    expect(statuses).toHaveLength(400);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(keysFetched(it)).toBeGreaterThanOrEqual(3);
    expect(keysFetched(it)).toBeLessThanOrEqual(1 + 3 * 2);
  });

  test.each([1, 2])(
    "is found although an answer without it, number %i, was on its way when its first token came",
    async (number) => {
      const { fetch, release, isHolding } = holding(number);
      const it = start({}, fetch);
      if (number > 1) expect(await it.statusOf(await server.sign(good))).toBe(200);
      await server.rotate("published");
      const first = it.statusOf(await server.sign(good));
      await expect.poll(isHolding).toBe(true);
      await server.rotate("published");
      const tokens = await Promise.all(many(10, (n) => server.sign({ ...good, jti: `token-${n}` })));
      const waiting = vi.spyOn(globalThis, "setTimeout");
      const others = tokens.map((token) => it.statusOf(token));
      // Each waits for the answer that will not do.
      await expect.poll(() => waiting.mock.calls.length).toBeGreaterThanOrEqual(10);
      waiting.mockRestore();
      release();
      expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set([200]));
      expect(keysFetched(it)).toBe(number + 1);
    },
  );

  test("is learnt by the first requests of an instance with one fetch, too", async () => {
    const it = start();
    const token = await server.sign(good);
    const statuses = await Promise.all(many(50, () => it.statusOf(token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(keysFetched(it)).toBe(1);
  });

  test("verifies tokens that name no key", async () => {
    const it = start();
    expect(await it.statusOf(await server.sign(good, { kid: undefined }))).toBe(200);
    await server.rotate();
    expect(await it.statusOf(await server.sign(good, { kid: undefined }))).toBe(200);
    expect(keysFetched(it)).toBe(2);
  });
});

describe("7. keys that are invented", () => {
  test("cause a bounded number of fetches from one address, and are refused", async () => {
    const it = start();
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) statuses.push(await it.statusOf(await invented(`invented-${n}`)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(keysFetched(it)).toBe(1 + 10);
    it.clock.pass(60_000);
    for (let n = 0; n < 60; n++) expect(await it.statusOf(await invented(`more-${n}`))).toBe(401);
    expect(keysFetched(it)).toBe(1 + 20);
  });

  test("do not keep a real one from being learnt that comes from elsewhere", async () => {
    const it = start();
    for (let n = 0; n < 30; n++) await it.statusOf(await invented(`invented-${n}`), "198.51.100.9");
    await server.rotate();
    expect(await it.statusOf(await server.sign(good), "203.0.113.7")).toBe(200);
  });

  test("from many addresses delay a real one by seconds, in which its tokens are not refused but put off", async () => {
    const it = start();
    const flood = async (round: string) => {
      for (let n = 0; n < 25; n++) await it.statusOf(await invented(`${round}-${n}`), `198.51.100.${n}`);
    };
    await flood("first");
    expect(keysFetched(it)).toBe(1 + 20);
    await server.rotate();
    const token = await server.sign(good);
    const answer = await it.answerTo({ authorization: `Bearer ${token}` });
    expect(answer?.status).toBe(503);
    expect(answer?.headers.get("retry-after")).toBe("5");
    it.clock.pass(5_000);
    // Whoever causes the next fetch, it brings all keys.
    await flood("second");
    expect(await it.statusOf(token)).toBe(200);
  });
});

describe("a key that the authorization server no longer publishes", () => {
  test("opens nothing once the keys were refreshed, also for a token that was accepted before", async () => {
    const it = start({ refreshInterval: 60_000 });
    const old = await server.sign({ ...good, exp: Math.floor(it.clock.now() / 1000) + 3_600 });
    expect(await it.statusOf(old)).toBe(200);
    await server.rotate();
    expect(await it.statusOf(old)).toBe(200);
    it.clock.pass(61_000);
    // The first request after the interval begins the refresh and does not wait for it.
    await it.statusOf(old);
    await it.settled();
    expect(await it.statusOf(old)).toBe(401);
  });

  test("goes as soon as another token's key is looked up", async () => {
    const it = start();
    const old = await server.sign(good);
    expect(await it.statusOf(old)).toBe(200);
    await server.rotate();
    expect(await it.statusOf(await server.sign(good))).toBe(200);
    expect(await it.statusOf(old)).toBe(401);
  });
});

describe("an authorization server that is down", () => {
  test("takes nothing from tokens of known keys, and puts off those of unknown ones", async () => {
    const it = start({ refreshInterval: 60_000 });
    const [known, other] = await Promise.all([server.sign(good), server.sign({ ...good, sub: "alice" })]);
    expect(await it.statusOf(known)).toBe(200);
    await server.rotate();
    const unknown = await server.sign(good);
    server.failWith(500);
    it.clock.pass(61_000);
    expect(await it.statusOf(known)).toBe(200);
    await it.settled();
    expect(await it.statusOf(other)).toBe(200);
    const answer = await it.answerTo({ authorization: `Bearer ${unknown}` });
    expect(answer?.status).toBe(503);
    expect(answer?.headers.get("retry-after")).toBe("5");
    expect(answer?.headers.get("www-authenticate")).toBeNull();
    const asked = it.fetched.length;
    for (let n = 0; n < 10; n++) expect(await it.statusOf(unknown)).toBe(503);
    expect(it.fetched).toHaveLength(asked);
    server.failWith(undefined);
    it.clock.pass(5_000);
    expect(await it.statusOf(unknown)).toBe(200);
  });
});
