import { beforeEach, describe, expect, test } from "vitest";
import { activeToken, mintAccessToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { newChainId } from "../../lib/authorization-server/tokens/sharding.ts";
import type { McpAuthorizationServer } from "../../lib/config/configuration.ts";
import { RESOURCE, trusted } from "../gateway/started.ts";
import { withGateway } from "../gateway/with-gateway.ts";
import { PROVIDER } from "../support/in-process.ts";

const it = withGateway();
const introspection = { clientID: "c", clientSecret: "s", timeout: 2_000, maxRetries: 0 };
const settings = (method: McpAuthorizationServer["method"]) =>
  trusted(PROVIDER.endpoints.wellKnown, method === "jwt" ? { method } : { method, introspection });

/** A JWT of this instance for a person, as its chain would bring it. */
async function issued(lifetime = 60_000) {
  const { dependencies, clock } = it.gateway;
  const issuedAt = Math.floor(clock.now() / 1_000) * 1_000;
  const record = {
    tokenId: "tok_1",
    chainId: newChainId(7, issuedAt, dependencies.random),
    consentId: "consent_1",
    ancestors: ["tok_0"],
    clientId: "agent",
    subject: "user_1",
    audience: RESOURCE,
    scopes: ["notes:read"],
    issuedAt,
    expiresAt: issuedAt + lifetime,
    claims: { act: { sub: "before" }, department: "books" },
  };
  return { record, text: (await mintAccessToken(record, "jwt", dependencies)).text };
}

describe.each(["jwt", "auto", "introspection"] as const)("40. a JWT of this instance, method %s", (method) => {
  beforeEach(() => it.restart({ servers: [settings(method)] }));

  test("is accepted, and nobody is asked over HTTP", async () => {
    const { text } = await issued();
    for (let n = 0; n < 3; n++) expect(await it.statusOf(text)).toBe(200);
    expect(it.gateway.fetched.filter((url) => url.startsWith(PROVIDER.issuer))).toEqual([]);
  });

  test.each(["token", "chain", "ancestor"] as const)(
    "opens nothing on the next call once its %s is ended",
    async (what) => {
      const { text, record } = await issued();
      for (let n = 0; n < 2; n++) expect(await it.statusOf(text)).toBe(200);
      const event = { id: "01", time: 0, type: "token.revoked", outcome: "success" } as const;
      const lineage = what === "ancestor" ? { chainId: record.chainId, tokenId: "tok_0" } : record;
      const { tokens } = it.gateway.dependencies.stores;
      const ending = what === "chain" ? "chain" : "token";
      expect(await tokens.end({ what: ending, lineage, expiresAt: record.expiresAt, event })).toBe(true);
      expect(await it.statusOf(text)).toBe(401);
      expect(await activeToken(text, it.gateway.dependencies)).toBeUndefined();
    },
  );

  test("opens nothing from the millisecond on at which it expires", async () => {
    const { text, record } = await issued();
    it.gateway.clock.set(record.expiresAt - 1);
    expect(await it.statusOf(text)).toBe(200);
    it.gateway.clock.set(record.expiresAt);
    expect(await it.statusOf(text)).toBe(401);
  });

  test("for another audience opens nothing", async () => {
    const { record } = await issued();
    const other = { ...record, audience: "https://elsewhere.example/" };
    const { text } = await mintAccessToken(other, "jwt", it.gateway.dependencies);
    expect(await it.statusOf(text)).toBe(401);
  });
});
