import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, answerOf } from "../behaviour/fixture.ts";
import { askToken, exchanged, PERSON, refreshForm, signedIn, startWithApps, tokensOf } from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";
import { GATEWAY } from "../support/oauth-apps.ts";

describe("userinfo", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  const ask = (token: string | undefined, method = "GET"): Promise<Answer> => {
    const headers = new Headers(token === undefined ? {} : { Authorization: `Bearer ${token}` });
    return answerOf(product.send("/oauth2/userinfo", { method, headers }));
  };

  test("tells what the person granted, by GET and by POST, to pages of every origin", async () => {
    const { access_token } = await signedIn(product);
    for (const method of ["GET", "POST"]) {
      const answer = await ask(access_token, method);
      expect(answer).toMatchObject({
        status: 200,
        body: {
          sub: PERSON,
          name: "A Person",
          email: "person@example.com",
          email_verified: true,
          department: "books",
        },
      });
      expect(answer.body).not.toHaveProperty("auth_time");
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
    const preflight = await product.send("/oauth2/userinfo", { method: "OPTIONS" });
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Authorization");
  });

  test("of a narrower token it tells less, and what is mapped in any case", async () => {
    const { refresh_token } = await signedIn(product);
    const narrow = tokensOf(await askToken(product, "agent", refreshForm(refresh_token, { scope: "openid email" })));
    expect((await ask(narrow.access_token)).body).toEqual({
      sub: PERSON,
      email: "person@example.com",
      email_verified: true,
      department: "books",
    });
  });

  test("takes a token for a resource, and of those that a client narrowed none without openid", async () => {
    const { access_token, refresh_token } = await signedIn(product);
    expect(decodeJwt(access_token).aud).toBe(GATEWAY);
    expect((await ask(access_token)).status).toBe(200);
    const narrow = tokensOf(await askToken(product, "agent", refreshForm(refresh_token, { scope: "tools:read" })));
    expect((await ask(narrow.access_token)).status).toBe(403);
  });

  test("without a token it says how to come back", async () => {
    const answer = await ask(undefined);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="countersign"');
  });

  test("without a token, or with credentials of another kind, it names no error", async () => {
    const other = { Authorization: `Basic ${btoa("agent:secret")}` };
    const answers = [
      ask(undefined),
      ask(undefined, "POST"),
      answerOf(product.send("/oauth2/userinfo", { headers: other })),
    ];
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, answer.body]).toEqual([401, {}]);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="countersign"');
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
  });

  test("refuses a token without openid, an exchanged one, and one that is over", async () => {
    const { access_token } = await signedIn(product, { scopes: ["tools:read"] });
    const insufficient = await ask(access_token);
    expect(insufficient).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
    expect(insufficient.headers.get("WWW-Authenticate")).toContain('scope="openid"');
    const person = await signedIn(product);
    const other = (await exchanged(product, "gateway", person.access_token)).access_token;
    expect((await ask(other)).status).toBe(403);
    for (const token of ["x", person.refresh_token, person.id_token]) {
      const answer = await ask(token);
      expect(answer).toMatchObject({ status: 401, body: { error: "invalid_token" } });
      expect(answer.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    }
  });

  test("refuses a malformed header, and does not look at the query", async () => {
    const malformed = await answerOf(product.send("/oauth2/userinfo", { headers: { Authorization: "Bearer a b" } }));
    expect(malformed).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    const { access_token } = await signedIn(product);
    expect((await product.send(`/oauth2/userinfo?access_token=${access_token}`)).status).toBe(401);
  });
});
