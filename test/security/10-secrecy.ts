import { expect, test } from "vitest";
import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import {
  answerOf,
  assertionParameters,
  basic,
  createSigner,
  issueToken,
  postForm,
  type Signer,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../behaviour/fixture.ts";
import { SETUP_TOKEN } from "../support/runtime.ts";
import { pemLines, secretLooks } from "../support/secret-looks.ts";
import type { SecurityContext } from "./context.ts";

/** Runs last: it scans what all tests before it caused to be logged. */
export function secrecy(context: SecurityContext): void {
  const post = (path: string, form: Parameters<typeof postForm>[1], headers = {}) =>
    answerOf(postForm(`${context.us.url}/oauth2/${path}`, form, headers));

  test("10. every token and error answer is no-store", async () => {
    const token = await issueToken(context.us, context.signer);
    const answers = await Promise.all([
      post("token", tokenParameters(await signAssertion(context.signer, context.us))),
      post("token", {}),
      post("token", tokenParameters("x")),
      post("introspect", { token }, basic(RESOURCE_SERVER)),
      post("introspect", { token }),
      post("revoke", { token: "x", ...assertionParameters(await signAssertion(context.signer, context.us)) }),
      post("revoke", {}),
    ]);
    for (const { headers } of answers) {
      expect(headers.get("Cache-Control")).toBe("no-store");
      expect(headers.get("Pragma")).toBe("no-cache");
    }
  });

  test("10. no token, assertion or key is in any log line at any level", async () => {
    const signer: Signer = await createSigner(context.owner);
    const assertion = await signAssertion(signer, context.us);
    const body = (await post("token", tokenParameters(assertion))).body as { access_token: string };
    const forged = await signAssertion({ ...signer, key: context.signer.key }, context.us);
    await post("token", tokenParameters(forged));
    await post("introspect", { token: body.access_token }, basic(RESOURCE_SERVER));
    await post("introspect", { token: body.access_token }, basic({ ...RESOURCE_SERVER, secret: "wrong-secret-text" }));
    await post("revoke", { token: body.access_token, ...assertionParameters(await signAssertion(signer, context.us)) });
    // In a query they are parameters of nothing, and must not be logged either.
    await answerOf(postForm(`${tokenEndpointOf(context.us)}?client_assertion=${assertion}`, {}));

    const secrets = [
      body.access_token,
      body.access_token.slice(9, 52),
      ...assertion.split("."),
      ...forged.split(".").slice(1),
      ...pemLines(signer.key.pem),
      ...pemLines(context.signer.key.pem),
      RESOURCE_SERVER.secret,
      "wrong-secret-text",
      SETUP_TOKEN,
      context.owner.cookie.split("=")[1] as string,
    ];
    const seen = () => context.us.logs().join("\n");
    await expect.poll(seen, { timeout: 10_000 }).toContain("/oauth2/revoke");
    const lines = [...context.us.logs(), ...context.uk.logs()].join("\n");
    // The header of an assertion is the same for everybody and no secret.
    const header = assertion.split(".")[0];
    for (const secret of secrets.filter((text) => text !== header)) {
      expect(lines.includes(secret), `a secret that begins with ${secret.slice(0, 6)} was logged`).toBe(false);
    }
    expect(secretLooks(lines)).toEqual([]);
  });
}
