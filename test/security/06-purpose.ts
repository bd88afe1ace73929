import { expect, test } from "vitest";
import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import { answerOf, basic, issueToken, postForm, signAssertion } from "../behaviour/fixture.ts";
import { assertionAnswer, refusal, type SecurityContext, tokenAnswer } from "./context.ts";

export function purpose(context: SecurityContext): void {
  test("6. an access token is no client assertion", async () => {
    const token = await issueToken(context.us, context.signer);
    expect(await assertionAnswer(context, token)).toMatchObject(refusal("failed to parse JWT"));
  });

  test.each(["at+jwt", "application/at+jwt", "dpop+jwt", "logout+jwt", "id+jwt", "", 1, null])(
    "6. a JWT of typ %j is no client assertion, although the client signed it",
    async (typ) => {
      expect(await tokenAnswer(context, { header: { typ } })).toMatchObject(refusal("invalid JWT claims"));
    },
  );

  test("6. a JWT of the client for another audience is no client assertion here", async () => {
    const aud = context.signer.clientId;
    expect(await tokenAnswer(context, { claims: { aud, nonce: "n" } })).toMatchObject(refusal("invalid JWT audience"));
  });

  test("6. a client assertion is no access token", async () => {
    const assertion = await signAssertion(context.signer, context.us);
    const bearer = { Authorization: `Bearer ${assertion}` };
    for (const path of ["/api/v1/audit-events", "/mcp"]) {
      const method = path === "/mcp" ? "POST" : "GET";
      const response = await fetch(`${context.us.url}${path}`, { method, headers: bearer });
      expect(response.status).toBe(401);
      await response.body?.cancel();
    }
  });

  test("6. a client assertion introspects as inactive", async () => {
    const token = await signAssertion(context.signer, context.us);
    const answer = answerOf(postForm(`${context.us.url}/oauth2/introspect`, { token }, basic(RESOURCE_SERVER)));
    expect((await answer).body).toEqual({ active: false });
  });
}
