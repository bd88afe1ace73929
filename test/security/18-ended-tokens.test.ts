import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findClient } from "../../lib/authorization-server/clients/find-client.ts";
import { exchangeToken } from "../../lib/authorization-server/exchange/exchange-token.ts";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { mintToken } from "../../lib/authorization-server/tokens/opaque.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { TokenExchange } from "../../lib/stores/tokens.ts";
import { basic } from "../behaviour/fixture.ts";
import {
  ACCESS_TOKEN,
  askToken,
  codeForm,
  exchanged,
  exchangeForm,
  postTo,
  signedIn,
  startChain,
  startWithApps,
  tokensOf,
} from "../support/chains.ts";
import { type InProcess, START } from "../support/in-process.ts";
import { LEDGER, secretOf } from "../support/oauth-apps.ts";

describe("tokens that are over", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  const isActive = async (text: string) => (await activeToken(text, product.dependencies)) !== undefined;
  const revoke = (client: string, token: string) =>
    postTo(product, "/oauth2/revoke", { token }, basic({ clientId: client, secret: secretOf(client) }));

  test("18. revoked, expired, forged and foreign subjects are one and the same refusal", async () => {
    const revoked = (await signedIn(product)).access_token;
    await revoke("agent", revoked);
    const { access_token, id_token, refresh_token } = await signedIn(product);
    const expired = (await signedIn(product, { expiresAt: START + 1_000 })).access_token;
    product.clock.set(START + 1_000);
    const otherRegion = mintToken("uk", 7, webCryptoRandom).text;
    const never = mintToken("us", 7, webCryptoRandom).text;
    const forged = `${access_token.slice(0, -8)}AAAAAAAA`;
    const bodies = [];
    for (const text of [revoked, expired, forged, otherRegion, never, id_token, refresh_token, "x", "a.b.c"]) {
      const answer = await askToken(product, "gateway", exchangeForm(text));
      expect(answer.status).toBe(400);
      bodies.push(answer.body);
    }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({ error: "invalid_request" });
    product.clock.set(START);
  });

  test("18. so are actors, whatever the subject", async () => {
    const { access_token } = await signedIn(product);
    const revoked = (await signedIn(product)).access_token;
    await revoke("agent", revoked);
    const elsewhere = (await exchanged(product, "gateway", access_token)).access_token;
    for (const actor_token of [revoked, elsewhere, "x"]) {
      const form = exchangeForm(access_token, { actor_token, actor_token_type: ACCESS_TOKEN });
      expect(await askToken(product, "gateway", form)).toMatchObject({ body: { error: "invalid_request" } });
    }
  });

  test("18. what was exchanged ends with the token it comes of, over every link", async () => {
    const { access_token } = await signedIn(product);
    const sibling = (await signedIn(product)).access_token;
    const first = (await exchanged(product, "gateway", access_token)).access_token;
    const second = (await exchanged(product, "ledger", first)).access_token;
    expect([await isActive(first), await isActive(second)]).toEqual([true, true]);
    await revoke("agent", access_token);
    for (const text of [access_token, first, second]) expect(await isActive(text)).toBe(false);
    expect(await isActive(sibling)).toBe(true);
    expect((await askToken(product, "ledger", exchangeForm(first))).status).toBe(400);
  });

  test("18. a link in the middle ends what comes after it alone", async () => {
    const { access_token } = await signedIn(product);
    const first = (await exchanged(product, "gateway", access_token)).access_token;
    const second = (await exchanged(product, "ledger", first)).access_token;
    await revoke("gateway", first);
    expect([await isActive(access_token), await isActive(first), await isActive(second)]).toEqual([true, false, false]);
  });

  test("18. a code that comes twice ends what its token was exchanged for", async () => {
    const { code } = await startChain(product);
    const { access_token } = tokensOf(await askToken(product, "agent", codeForm(code)));
    const first = (await exchanged(product, "gateway", access_token)).access_token;
    await askToken(product, "agent", codeForm(code));
    expect(await isActive(first)).toBe(false);
  });

  test("18. the store has the last word when the subject ends while it is exchanged", async () => {
    const { access_token } = await signedIn(product);
    const { stores } = product.dependencies;
    const ending = async (request: TokenExchange) => {
      await revoke("agent", access_token);
      return stores.tokens.exchange(request);
    };
    const dependencies = {
      ...product.dependencies,
      stores: { ...stores, tokens: { ...stores.tokens, exchange: ending } },
    };
    const caller = await findClient("gateway", dependencies);
    if (caller === undefined) throw new Error("there is no such client");
    const request = {
      subjectToken: access_token,
      subjectTokenType: ACCESS_TOKEN,
      audience: LEDGER,
      mode: "delegation",
      requestId: "a request",
    } as const;
    await expect(exchangeToken(request, caller, dependencies)).rejects.toMatchObject({ code: "invalid_request" });
  });
});
