import { beforeEach, describe, expect, test } from "vitest";
import type { McpAuthorizationServer } from "../../../lib/config/configuration.ts";
import { guarded, trusted } from "./guarded.ts";
import { fetchFrom, type StubServer, stubServer } from "./stub-server.ts";

let one: StubServer;
let two: StubServer;
let three: StubServer;
beforeEach(async () => {
  [one, two, three] = await Promise.all([
    stubServer(undefined, "one.example"),
    stubServer(undefined, "two.example"),
    stubServer(undefined, "three.example"),
  ]);
});

const FOR_LONG = { exp: 4_000_000_000 };

function by(method: McpAuthorizationServer["method"], { wellKnown }: StubServer, tokenPrefix?: string) {
  const client = { clientID: "gateway", clientSecret: "secret", timeout: 1_000, maxRetries: 0 };
  return trusted(wellKnown, {
    method,
    introspection: { ...client, ...(tokenPrefix !== undefined && { tokenPrefix }) },
  });
}

const started = (...servers: readonly McpAuthorizationServer[]) =>
  guarded({ servers, fetch: fetchFrom([one, two, three]) });

describe("of several servers", () => {
  test("23. a JWT is checked by the one that its issuer names, with the keys of that one alone", async () => {
    const it = started(by("jwt", one), by("jwt", two));
    expect(await it.statusOf(await one.sign(FOR_LONG))).toBe(200);
    expect(it.fetched.every((url) => url.startsWith("https://one.example/"))).toBe(true);
    expect(await it.statusOf(await two.sign(FOR_LONG))).toBe(200);
    expect(await it.statusOf(await two.sign({ ...FOR_LONG, iss: "https://one.example" }))).toBe(401);
    expect(await it.statusOf(await three.sign(FOR_LONG))).toBe(401);
    expect(it.fetched.some((url) => url.startsWith("https://three.example/"))).toBe(false);
  });

  test.each(["forwards", "backwards"])(
    "23. an opaque token goes to the one with the longest prefix that it has, listed %s",
    async (order) => {
      const servers = [by("introspection", one), by("introspection", two, "ab_"), by("auto", three, "ab_cd_")];
      const it = started(...(order === "forwards" ? servers : servers.toReversed()));
      for (const token of ["ab_cd_1", "ab_2", "ab3", "4"]) expect(await it.statusOf(token)).toBe(200);
      expect([one, two, three].map(({ introspected }) => introspected)).toEqual([["ab3", "4"], ["ab_2"], ["ab_cd_1"]]);
    },
  );

  test("23. an opaque token that no prefix fits goes nowhere when each has one", async () => {
    const it = started(by("introspection", two, "ab_"), by("jwt", one));
    expect(await it.statusOf("xy_1")).toBe(401);
    expect(it.fetched).toEqual([]);
  });
});

describe("the method auto", () => {
  test("never asks about a JWT that was found bad, whatever was wrong with it", async () => {
    const it = started(by("auto", one));
    const bad = [{ exp: 1 }, { ...FOR_LONG, aud: "https://other.example" }, { ...FOR_LONG, nbf: 4_000_000_000 }, {}];
    for (const claims of bad) expect(await it.statusOf(await one.sign(claims))).toBe(401);
    const [header, payload, signature = ""] = (await one.sign(FOR_LONG)).split(".");
    const forged = `${header}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    expect(await it.statusOf(forged)).toBe(401);
    expect(one.introspected).toEqual([]);
  });

  test("asks about a JWT whose server publishes no keys", async () => {
    const keyless = await stubServer(undefined, "one.example", { jwks_uri: undefined });
    const it = guarded({ servers: [by("auto", keyless)], fetch: keyless.fetch });
    const token = await keyless.sign(FOR_LONG);
    expect(await it.statusOf(token)).toBe(200);
    expect(keyless.introspected).toEqual([token]);
  });

  test("asks about a JWT under a key that is not known, and takes the answer", async () => {
    const it = started(by("auto", one));
    const impostor = await stubServer(undefined, "one.example");
    const [, payload, signature] = (await impostor.sign(FOR_LONG)).split(".");
    const header = btoa(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid: "another" })).replace(/=+$/, "");
    const token = [header, payload, signature].join(".");
    expect(await it.statusOf(token)).toBe(200);
    expect(one.introspected).toEqual([token]);
  });
});
