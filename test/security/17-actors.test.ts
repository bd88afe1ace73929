import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activeToken, mintAccessToken } from "../../lib/authorization-server/tokens/access-token.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { ACCESS_TOKEN, askToken, exchanged, exchangeForm, PERSON, signedIn, startWithApps } from "../support/chains.ts";
import { type InProcess, ISSUER } from "../support/in-process.ts";
import { GATEWAY, LEDGER } from "../support/oauth-apps.ts";

const ACTOR_TYPE = { actor_token_type: ACCESS_TOKEN };

describe("actors", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  /** A token of the chain with further claims, as a sign-in elsewhere could have brought it. */
  const tokenWith = async (claims: JsonObject, audience = GATEWAY): Promise<string> => {
    const { access_token } = await signedIn(product);
    const record = await activeToken(access_token, product.dependencies);
    if (record === undefined) throw new Error("the token is not active");
    const token = { ...record, audience, claims: { ...record.claims, ...claims } };
    return (await mintAccessToken(token, "jwt", product.dependencies)).text;
  };

  test("17. a delegation names the person and the agent, and each further one nests", async () => {
    const { access_token } = await signedIn(product);
    const first = await exchanged(product, "gateway", access_token);
    expect(decodeJwt(first.access_token)).toMatchObject({ sub: PERSON, client_id: "gateway", act: { sub: "agent" } });
    const second = await exchanged(product, "ledger", first.access_token);
    const record = await activeToken(second.access_token, product.dependencies);
    expect(record).toMatchObject({ subject: PERSON, clientId: "ledger" });
    expect(record?.claims?.act).toEqual({ sub: "gateway", act: { sub: "agent" } });
    const { items } = await product.dependencies.stores.auditLog.query(
      { organizationId: record?.organizationId, type: "token.exchanged" },
      { limit: 10, cursor: undefined },
    );
    const event = items.find(({ details }) => details?.tokenId === record?.tokenId);
    expect(event).toMatchObject({ actor: "ledger", agent: "gateway", user: PERSON, actChain: ["gateway", "agent"] });
  });

  test("17. an agent's own token is delegated as the agent's", async () => {
    const { dependencies } = product;
    const person = await activeToken((await signedIn(product)).access_token, dependencies);
    if (person === undefined) throw new Error("the token is not active");
    const own = await mintAccessToken({ ...person, subject: "agent", claims: {} }, "jwt", dependencies);
    const { access_token } = await exchanged(product, "gateway", own.text);
    expect(decodeJwt(access_token)).toMatchObject({ sub: "agent", act: { sub: "agent" } });
  });

  test("17. with and without an actor token everybody before is named, the agent included", async () => {
    const { access_token } = await signedIn(product);
    const former = await tokenWith({ act: { sub: "somebody", act: { sub: "somebody before" } } });
    const without = await exchanged(product, "gateway", former);
    const actor = { ...ACTOR_TYPE, actor_token: access_token };
    const withActor = await exchanged(product, "gateway", former, actor);
    const expected = { sub: "agent", act: { sub: "somebody", act: { sub: "somebody before" } } };
    expect(decodeJwt(without.access_token).act).toEqual(expected);
    expect(decodeJwt(withActor.access_token).act).toEqual({ sub: PERSON, client_id: "agent", act: expected });
  });

  test("17. the actor that the subject token is issued to anyway is named once", async () => {
    const { dependencies } = product;
    const { access_token } = await signedIn(product);
    const person = await activeToken(access_token, dependencies);
    if (person === undefined) throw new Error("the token is not active");
    const own = await mintAccessToken({ ...person, subject: "agent" }, "jwt", dependencies);
    const actor = { ...ACTOR_TYPE, actor_token: own.text };
    const exchangedToken = await exchanged(product, "gateway", access_token, actor);
    expect(decodeJwt(exchangedToken.access_token).act).toEqual({ sub: "agent" });
  });

  test("17. an actor token that names an actor itself is refused", async () => {
    const { access_token } = await signedIn(product);
    const actor = { ...ACTOR_TYPE, actor_token: await tokenWith({ act: { sub: "x" } }) };
    const answer = await askToken(product, "gateway", exchangeForm(access_token, actor));
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("17. five actors are the most", async () => {
    const chain = (levels: number): JsonObject => ({
      sub: `a${levels}`,
      ...(levels > 1 && { act: chain(levels - 1) }),
    });
    const fifth = await exchanged(product, "gateway", await tokenWith({ act: chain(4) }));
    expect(decodeJwt(fifth.access_token).act).toEqual({ sub: "agent", act: chain(4) });
    for (const levels of [5, 9, 50]) {
      const answer = await askToken(product, "gateway", exchangeForm(await tokenWith({ act: chain(levels) })));
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
  });

  test.each([["a text"], [{}], [{ sub: 7 }], [{ sub: "x", act: "y" }], [[]], [null]])(
    "17. an act claim that cannot be kept, as %j, is refused",
    async (act) => {
      const answer = await askToken(product, "gateway", exchangeForm(await tokenWith({ act })));
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    },
  );

  test.each([
    [{ sub: "gateway" }, 200],
    [{ sub: "gateway", iss: ISSUER }, 200],
    [{ client_id: "gateway" }, 200],
    [{ sub: "gateway", iss: "https://other.example" }, 400],
    [{ sub: "gateway", client_id: "other" }, 400],
    [{ sub: "other" }, 400],
    [{}, 400],
    ["gateway", 400],
    [null, 400],
  ])("17. of may_act %j only who is named may act", async (may_act, status) => {
    const subjectToken = await tokenWith({ may_act });
    const answer = await askToken(product, "gateway", exchangeForm(subjectToken));
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toMatchObject({ error: "unauthorized_client" });
    else expect(decodeJwt((answer.body as { access_token: string }).access_token).may_act).toEqual(may_act);
  });

  test("17. may_act binds the party of the actor token, and impersonation too", async () => {
    const subjectToken = await tokenWith({ may_act: { sub: PERSON, client_id: "agent" } });
    const { access_token } = await signedIn(product);
    const without = await askToken(product, "gateway", exchangeForm(subjectToken));
    expect(without).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
    const actor = { ...ACTOR_TYPE, actor_token: access_token };
    const withActor = await exchanged(product, "gateway", subjectToken, actor);
    expect(decodeJwt(withActor.access_token).may_act).toEqual({ sub: PERSON, client_id: "agent" });
    const impersonation = exchangeForm(subjectToken, { requested_mode: "impersonation" });
    expect(await askToken(product, "impersonator", impersonation)).toMatchObject({
      status: 400,
      body: { error: "unauthorized_client" },
    });
  });

  test("17. an actor token does not make an impersonation of it, nor widen anything", async () => {
    const { access_token } = await signedIn(product);
    const actor = { ...ACTOR_TYPE, actor_token: access_token, audience: LEDGER };
    const wide = exchangeForm(access_token, { ...actor, scope: "tools:read" });
    expect(await askToken(product, "gateway", wide)).toMatchObject({ body: { error: "invalid_scope" } });
    const impersonation = exchangeForm(access_token, { ...actor, requested_mode: "impersonation" });
    expect(await askToken(product, "impersonator", impersonation)).toMatchObject({
      body: { error: "invalid_request" },
    });
  });
});
