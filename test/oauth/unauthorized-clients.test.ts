import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertionParameters, basic, type Signer } from "../behaviour/fixture.ts";
import { assertionNow, sendAssertion, signerOf } from "../security/in-process-client.ts";
import { askToken, codeForm, exchangeForm, postTo, refreshForm, startWithApps } from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";

describe("clients that authenticate for a grant that is not theirs", () => {
  let product: InProcess;
  let signer: Signer;
  beforeAll(async () => {
    product = await startWithApps();
    signer = await signerOf(await product.createClient());
  });
  afterAll(() => product.close());

  const unauthorized = { status: 400, body: { error: "unauthorized_client" } };

  test("an app with its secret gets no client credentials, and with another one is not known", async () => {
    const grant = { grant_type: "client_credentials" };
    const answer = await askToken(product, "agent", grant);
    expect(answer).toMatchObject(unauthorized);
    expect(answer.headers.get("WWW-Authenticate")).toBeNull();
    const wrong = await postTo(product, "/oauth2/token", grant, basic({ clientId: "agent", secret: "wrong" }));
    expect(wrong).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(wrong.headers.get("WWW-Authenticate")).toMatch(/^Basic /);
  });

  test.each([
    ["a code", codeForm("x")],
    ["a refresh token", refreshForm("x")],
    ["an exchange", exchangeForm("x")],
  ])("an API client with its assertion is told so for %s, and the assertion still counts once", async (_, form) => {
    const assertion = await assertionNow(product, signer);
    const ask = (text: string) => postTo(product, "/oauth2/token", { ...form, ...assertionParameters(text) });
    expect(await ask(assertion)).toMatchObject(unauthorized);
    expect((await sendAssertion(product, assertion)).status).toBe(200);
  });

  test("an API client whose assertion is not good is refused for that", async () => {
    const stranger = await signerOf(await product.createClient());
    const forged = await assertionNow(product, { ...signer, key: stranger.key });
    const late = await assertionNow(product, signer, { claims: { exp: 1 } });
    for (const [assertion, error_description] of [
      [forged, "invalid JWT signature"],
      [late, "expired JWT"],
    ] as const) {
      const answer = await postTo(product, "/oauth2/token", refreshForm("x", assertionParameters(assertion)));
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_client", error_description } });
    }
  });
});
