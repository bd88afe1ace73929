import { afterEach, describe, expect, test, vi } from "vitest";
import { createIdentityCache, tokenName } from "../../../lib/gateway/inbound/identity-cache.ts";
import { createInstanceStops, ON_THE_EDGE } from "../../../lib/stops/instance-stops.ts";
import type { Stop, StopTarget } from "../../../lib/stores/stops.ts";
import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";
import { guarded, trusted } from "./guarded.ts";
import { stubServer } from "./stub-server.ts";

afterEach(() => vi.restoreAllMocks());

const FOR_LONG = { exp: 4_000_000_000 };
const IDENTITY = {
  agent: { clientID: "agent" },
  issuer: "https://as.example",
  scopes: [],
  actChain: [],
  expiresAt: 1,
};

describe("a JWT that was validated before", () => {
  test("is known again without its signature being verified once more", async () => {
    const server = await stubServer();
    const it = guarded({ servers: [trusted(server.wellKnown)], ...server });
    const verify = vi.spyOn(crypto.subtle, "verify");
    const token = await server.sign(FOR_LONG);
    for (let n = 0; n < 3; n++) expect(await it.statusOf(token)).toBe(200);
    expect(verify).toHaveBeenCalledTimes(1);
    expect(await it.statusOf(await server.sign({ ...FOR_LONG, jti: "another" }))).toBe(200);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test("is no help to one with the same content and another signature", async () => {
    const server = await stubServer();
    const it = guarded({ servers: [trusted(server.wellKnown)], ...server });
    const token = await server.sign(FOR_LONG);
    expect(await it.statusOf(token)).toBe(200);
    const other = await (await stubServer()).sign(FOR_LONG);
    expect(other.split(".").slice(0, 2)).toEqual(token.split(".").slice(0, 2));
    expect(await it.statusOf(other)).toBe(401);
  });

  const [AT, ISSUER] = [1_800_000_000, "https://as.example"];
  const CLAIMS = {
    ...FOR_LONG,
    iat: AT,
    client_id: "agent",
    sub: "ada",
    act: { sub: "broker", act: { sub: "gateway" } },
  };
  const suspended = { state: "suspended", at: 0 } as const;
  const STOPS: readonly (readonly [what: string, target: StopTarget, fields: Partial<Stop>, status: number])[] = [
    ["its person", { kind: "person", id: "ada", issuer: ISSUER }, suspended, 401],
    ["its agent", { kind: "agent", id: "agent", issuer: ISSUER }, suspended, 401],
    ["who acts in it", { kind: "agent", id: "gateway", issuer: ISSUER }, suspended, 401],
    [
      "its person, from a later time on",
      { kind: "person", id: "ada", issuer: ISSUER },
      { state: "ended", at: AT * 1_000 + 1 },
      401,
    ],
    [
      "its person, from an earlier time on",
      { kind: "person", id: "ada", issuer: ISSUER },
      { state: "ended", at: AT * 1_000 },
      200,
    ],
    ["a person of this region", { kind: "person", id: "ada" }, suspended, 200],
    ["a person of another server", { kind: "person", id: "ada", issuer: "https://other.example" }, suspended, 200],
    [
      "an organization's person",
      { kind: "person", id: "ada", issuer: ISSUER },
      { ...suspended, organizationId: "org_1" },
      200,
    ],
  ];

  test.each(STOPS)("52. is looked up when %s is stopped, although it is known", async (_, target, fields, status) => {
    const server = await stubServer();
    let stops: readonly Stop[] = [];
    const clock = { now: () => now };
    let now = 0;
    const readStops = async () => ({ revision: stops.length, stops });
    const logger = { warn: () => undefined };
    const instanceStops = createInstanceStops({ stores: { stops: { readStops } }, clock, logger }, ON_THE_EDGE);
    const it = guarded({ servers: [trusted(server.wellKnown)], ...server, instanceStops });
    const token = await server.sign(CLAIMS);
    expect(await it.statusOf(token)).toBe(200);
    stops = [{ stopId: "stop_1", target, state: "suspended", at: 0, reason: "test", by: "user_1", ...fields }];
    now += ON_THE_EDGE.limit;
    expect(await it.statusOf(token)).toBe(status);
  });

  test("52. is not accepted where nobody can tell what is stopped", async () => {
    const server = await stubServer();
    const readStops = () => Promise.reject(new Error("away"));
    const ports = { stores: { stops: { readStops } }, clock: { now: () => 0 }, logger: { warn: () => undefined } };
    const instanceStops = createInstanceStops(ports, ON_THE_EDGE);
    const it = guarded({ servers: [trusted(server.wellKnown)], ...server, instanceStops });
    await expect(it.statusOf(await server.sign(CLAIMS))).rejects.toThrow(StoreUnavailableError);
  });

  test("is validated again, and by them, when the settings of its server have changed", async () => {
    const server = await stubServer();
    const it = guarded({ servers: [trusted(server.wellKnown)], ...server });
    const token = await server.sign(FOR_LONG);
    expect(await it.statusOf(token)).toBe(200);
    const narrowed = it.reconfigured([trusted(server.wellKnown, { expectedAudiences: ["https://other.example"] })]);
    expect(await narrowed.statusOf(token)).toBe(401);
    expect(await it.reconfigured([]).statusOf(token)).toBe(401);
    // The keys are still known: nothing was fetched anew.
    expect(it.fetched).toHaveLength(2);
  });

  test("that was refused is not remembered as anything", async () => {
    const server = await stubServer();
    const it = guarded({ servers: [trusted(server.wellKnown)], ...server });
    const token = await server.sign({ ...FOR_LONG, nbf: Math.ceil(it.clock.now() / 1_000) + 10 });
    expect(await it.statusOf(token)).toBe(401);
    it.clock.pass(11_000);
    expect(await it.statusOf(token)).toBe(200);
  });
});

test("what a token says is known while the token is, and is nobody's identity under other keys", () => {
  const cache = createIdentityCache({ now: () => 0 }, 3);
  const [known, other, basis] = [tokenName("known"), tokenName("other"), {}];
  const said = { issuer: IDENTITY.issuer, type: "at+jwt", namesKey: true };
  cache.put(known, IDENTITY, 1, { said, basis });
  expect([cache.said(known), cache.said(other)]).toEqual([said, undefined]);
  expect(cache.get(known, basis)).toBe(IDENTITY);
  expect(cache.get(known, {})).toBeUndefined();
  expect(cache.said(known)).toBeUndefined();
});

test("of more tokens than there is room for, those that came first are forgotten", () => {
  const cache = createIdentityCache({ now: () => 0 }, 3);
  const names = ["a", "b", "c", "d"].map(tokenName);
  for (const name of names) cache.put(name, IDENTITY, 1);
  expect(names.map((name) => cache.get(name) !== undefined)).toEqual([false, true, true, true]);
});
