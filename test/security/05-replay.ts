import { expect, test } from "vitest";
import {
  answerOf,
  createSigner,
  postForm,
  requestToken,
  type Signer,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../behaviour/fixture.ts";
import { assertionAnswer, refusal, type SecurityContext, tokenAnswer } from "./context.ts";

const PARALLEL = 50;

export function replay(context: SecurityContext): void {
  test("5. of 50 parallel uses of one jti exactly one succeeds", async () => {
    const assertion = await signAssertion(context.signer, context.us);
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => assertionAnswer(context, assertion)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).toBe(1);
    for (const answer of refused) expect(answer).toMatchObject(refusal("replayed JWT"));
  });

  test("5. one jti in differently signed assertions of a client counts once", async () => {
    const claims = { jti: crypto.randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => tokenAnswer(context, { claims })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("5. an assertion that authenticated one endpoint is refused at every other", async () => {
    const endpoints = ["token", "introspect", "revoke"].map((name) =>
      tokenEndpointOf(context.us).replace(/token$/, name),
    );
    for (const [first, second] of endpoints.flatMap((one) => endpoints.map((other) => [one, other] as const))) {
      const assertion = await signAssertion(context.signer, context.us, { claims: { jti: crypto.randomUUID() } });
      const form = tokenParameters(assertion, { token: "unknown" });
      expect((await answerOf(postForm(first, form))).status).toBe(200);
      expect(await answerOf(postForm(second, form))).toMatchObject(refusal("replayed JWT"));
    }
  });

  test("5. the same jti of another client is accepted", async () => {
    const other: Signer = await createSigner(context.owner);
    const claims = { jti: crypto.randomUUID() };
    expect((await tokenAnswer(context, { claims })).status).toBe(200);
    expect((await requestToken(context.us, other, { claims })).status).toBe(200);
  });

  test.each(["introspect", "revoke"])("5. a request to %s without token does not use the jti up", async (name) => {
    const assertion = await signAssertion(context.signer, context.us);
    const { grant_type: _, ...form } = tokenParameters(assertion);
    const url = tokenEndpointOf(context.us).replace(/token$/, name);
    expect((await answerOf(postForm(url, form))).body).toEqual({ error: "invalid_request" });
    expect((await assertionAnswer(context, assertion)).status).toBe(200);
  });

  test("5. a failed request does not use the jti up", async () => {
    const claims = { jti: crypto.randomUUID() };
    const assertion = await signAssertion(context.signer, context.us, { claims });
    const other: Signer = await createSigner(context.owner);
    const form = tokenParameters(assertion, { resource: "https://not-allowed.example" });
    expect((await answerOf(postForm(tokenEndpointOf(context.us), form))).body).toEqual({ error: "invalid_target" });
    expect((await assertionAnswer(context, assertion, { scope: "not:granted" })).status).toBe(400);
    const forged = { ...context.signer, key: other.key };
    expect((await requestToken(context.us, forged, { claims })).status).toBe(400);
    expect((await assertionAnswer(context, assertion)).status).toBe(200);
  });
}
