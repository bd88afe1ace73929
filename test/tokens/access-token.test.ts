import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  activeToken,
  claimsOfToken,
  mintAccessToken,
  tokenOfClaims,
} from "../../lib/authorization-server/tokens/access-token.ts";
import { newChainId } from "../../lib/authorization-server/tokens/sharding.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import type { TokenRecord } from "../../lib/stores/tokens.ts";
import { type InProcess, ISSUER, START, startInProcess } from "../support/in-process.ts";

let product: InProcess;
beforeAll(async () => {
  product = await startInProcess();
});
afterAll(() => product.close());

const RECORD: TokenRecord = {
  tokenId: "tok_1",
  chainId: "chain_0701JZZZZZZZZZZZZZZZZZZZZZZZ",
  consentId: "consent_1",
  apiClientId: "client_1",
  ancestors: ["tok_00", "tok_01"],
  organizationId: "org_1",
  clientId: "gateway",
  subject: "user_1",
  audience: "https://ledger.example/",
  scopes: ["a", "b"],
  issuedAt: START,
  expiresAt: START + 60_000,
  claims: {
    act: { sub: "agent", act: { sub: "client_1" } },
    may_act: { sub: "x" },
    auth_time: 7,
    acr: "high",
    dept: "books",
  },
};

describe("an access token as a JWT", () => {
  test("is verified by a library with the key set over HTTP, and says all that the record does", async () => {
    const server = createServer(async (request, response) => {
      const answer = await product.send(request.url ?? "/");
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { text, stored } = await mintAccessToken(RECORD, "jwt", product.dependencies);
      const { port } = server.address() as AddressInfo;
      const keys = createRemoteJWKSet(new URL(`http://127.0.0.1:${port}/oauth2/jwks`));
      const options = { issuer: ISSUER, audience: RECORD.audience, typ: "at+jwt", currentDate: new Date(START) };
      const { payload, protectedHeader } = await jwtVerify(text, keys, options);
      expect(stored).toBeUndefined();
      expect(protectedHeader).toEqual({ alg: "ES256", typ: "at+jwt", kid: expect.stringMatching(/^[\w-]{43}$/) });
      expect(payload).toEqual({
        ...RECORD.claims,
        iss: ISSUER,
        sub: "user_1",
        aud: "https://ledger.example/",
        client_id: "gateway",
        iat: START / 1_000,
        exp: START / 1_000 + 60,
        jti: "tok_1",
        scope: "a b",
        chain: {
          id: RECORD.chainId,
          consent: "consent_1",
          apiClient: "client_1",
          ancestors: ["tok_00", "tok_01"],
          organization: "org_1",
        },
      });
    } finally {
      server.close();
    }
  });

  test("gives its record back, until the millisecond at which it expires", async () => {
    const { text } = await mintAccessToken(RECORD, "jwt", product.dependencies);
    expect(await activeToken(text, product.dependencies)).toEqual(RECORD);
    product.clock.set(RECORD.expiresAt - 1);
    expect(await activeToken(text, product.dependencies)).toEqual(RECORD);
    product.clock.set(RECORD.expiresAt);
    expect(await activeToken(text, product.dependencies)).toBeUndefined();
    product.clock.set(START);
  });

  test("is whatever the record is, and back, in whole seconds", () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    const time = fc.integer({ min: 0, max: 9_000_000_000 }).map((seconds) => seconds * 1_000);
    const chainId = fc.nat(255).map((shard) => newChainId(shard, START, product.dependencies.random));
    const optional = { consentId: text, apiClientId: text, organizationId: text, ancestors: fc.array(text) };
    const required = { tokenId: text, clientId: text, subject: text, audience: text, issuedAt: time, expiresAt: time };
    const record = fc.record(
      { ...required, ...optional, chainId, scopes: fc.array(fc.stringMatching(/^[a-z:]{1,9}$/)) },
      { requiredKeys: ["tokenId", "clientId", "subject", "audience", "issuedAt", "expiresAt", "chainId", "scopes"] },
    );
    fc.assert(
      fc.property(record, (drawn) => {
        // Who began the chain is named, as it is but after an impersonation.
        const { apiClientId } = drawn;
        const token: TokenRecord = {
          ...drawn,
          ...(apiClientId !== undefined && { claims: { act: { sub: apiClientId } } }),
        };
        const claims = JSON.parse(JSON.stringify(claimsOfToken(token, ISSUER)));
        expect(tokenOfClaims(claims, ISSUER)).toEqual(token);
      }),
    );
  });

  test.each([
    ["an agent", { agentId: "agent_of-the-chain" }, "agent_of-the-chain"],
    ["an API client", { apiClientId: "client_of-the-chain" }, "client_of-the-chain"],
  ])("that does not name %s which began its chain tells nothing of the chain, and is stored", async (_, by, name) => {
    const { claims: __, apiClientId: ___, ...bare } = RECORD;
    const { dependencies } = product;
    const record: TokenRecord = { ...bare, ...by };
    const { text, stored } = await mintAccessToken(record, "jwt", dependencies);
    const told = decodeJwt(text);
    expect(told).not.toHaveProperty("chain");
    for (const trace of [name, record.chainId, "consent_1", "tok_00"])
      expect(JSON.stringify(told)).not.toContain(trace);
    expect(await activeToken(text, dependencies)).toBeUndefined();

    const event = { id: "01", time: START, type: "token.impersonated", outcome: "success" } as const;
    if (stored === undefined) throw new Error("the token is not stored");
    await dependencies.stores.tokens.exchange({ token: stored.token, reference: stored.reference, event });
    expect(await activeToken(text, dependencies)).toEqual(record);
    // Another signature of the same claims is another token, which nobody was given.
    const again = await dependencies.keyRing.sign(told as JsonObject, "at+jwt");
    expect(await activeToken(again, dependencies)).toBeUndefined();
    const elsewhere = await dependencies.keyRing.sign({ ...told, shard: 256 } as JsonObject, "at+jwt");
    expect(await activeToken(elsewhere, dependencies)).toBeUndefined();
    product.clock.set(record.expiresAt);
    expect(await activeToken(text, dependencies)).toBeUndefined();
    product.clock.set(START);
  });

  test("cannot be made in a chain without a shard", async () => {
    const record = { ...RECORD, chainId: "chain_01JZZZZZZZZZZZZZZZZZZZZZZZ" };
    await expect(mintAccessToken(record, "jwt", product.dependencies)).rejects.toThrow("shard");
  });
});

describe("what is signed by us and is no access token", () => {
  const good = claimsOfToken(RECORD, ISSUER);
  const isActive = async (claims: object, typ: "at+jwt" | "JWT" = "at+jwt") =>
    (await activeToken(await product.dependencies.keyRing.sign({ ...claims }, typ), product.dependencies)) !==
    undefined;

  test("an ID token, and what another issuer of the same keys says", async () => {
    expect(await isActive(good)).toBe(true);
    expect(await isActive(good, "JWT")).toBe(false);
    expect(await isActive({ ...good, iss: "https://uk.example" })).toBe(false);
    expect(await isActive({ ...good, iss: [ISSUER] })).toBe(false);
  });

  test.each(["iss", "sub", "aud", "client_id", "iat", "exp", "jti", "chain"])("without %s", async (claim) => {
    expect(await isActive({ ...good, [claim]: undefined })).toBe(false);
  });

  test("with any claim of another type", async () => {
    const wrong = fc.constantFrom<unknown>(null, true, 1.5, "", [], ["a"], {}, { id: 1 }, "2027-01-01", -0.1, [{}]);
    const claim = fc.constantFrom("iss", "sub", "aud", "client_id", "iat", "exp", "jti", "chain", "scope");
    await fc.assert(
      fc.asyncProperty(claim, wrong, async (name, value) => {
        expect(await isActive({ ...good, [name]: value })).toBe(
          value === "2027-01-01" && ["sub", "aud", "client_id", "jti", "scope"].includes(name),
        );
      }),
    );
    for (const part of ["consent", "apiClient", "ancestors", "organization", "id"]) {
      expect(await isActive({ ...good, chain: { id: RECORD.chainId, [part]: 7 } })).toBe(false);
    }
    expect(await isActive({ ...good, chain: { id: RECORD.chainId, ancestors: ["a", ""] } })).toBe(false);
  });

  test("37. any JSON at all, without an error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (claims) => {
        expect(await isActive(claims)).toBe(false);
      }),
    );
  });

  test("37. any text with dots, without an error", async () => {
    const { text } = await mintAccessToken(RECORD, "jwt", product.dependencies);
    const changed = fc.tuple(fc.nat(text.length - 1), fc.string({ unit: "binary", minLength: 1, maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(changed, async ([at, put]) => {
        const other = text.slice(0, at) + put + text.slice(at + 1);
        expect((await activeToken(other, product.dependencies)) !== undefined).toBe(other === text);
      }),
      { numRuns: 500 },
    );
    expect(await activeToken(`${text}${"x".repeat(40_000)}`, product.dependencies)).toBeUndefined();
    expect(decodeJwt(text).jti).toBe("tok_1");
  });
});
