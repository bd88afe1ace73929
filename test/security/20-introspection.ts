import { expect, test } from "vitest";
import { mintToken } from "../../lib/authorization-server/tokens/opaque.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { OTHER_RESOURCE_SERVER, RESOURCE_SERVER } from "../behaviour/configuration.ts";
import {
  answerOf,
  assertionParameters,
  basic,
  createSigner,
  issueToken,
  type Parameters,
  postForm,
  type Signer,
  signAssertion,
} from "../behaviour/fixture.ts";
import { refusal, type SecurityContext } from "./context.ts";

const INACTIVE = '{"active":false}';

export function introspectionCallers(context: SecurityContext): void {
  const post = (endpoint: string, form: Parameters, headers: Parameters = {}) =>
    postForm(`${context.us.url}/oauth2/${endpoint}`, form, headers);

  for (const endpoint of ["introspect", "revoke"]) {
    test(`20. callers of ${endpoint} without or with wrong authentication get 401 and a challenge`, async () => {
      const token = await issueToken(context.us, context.signer);
      const { clientId } = RESOURCE_SERVER;
      const attempts: [Parameters, Parameters][] = [
        [{ token }, {}],
        [{ token, client_id: clientId }, {}],
        [{ token }, basic({ clientId, secret: "wrong" })],
        [{ token }, basic({ clientId: "unknown", secret: RESOURCE_SERVER.secret })],
        [{ token }, { Authorization: "Basic !!!" }],
        [{ token }, { Authorization: "Basic" }],
        [{ token }, { Authorization: `Bearer ${token}` }],
        [{ token, client_id: clientId, client_secret: "wrong" }, {}],
      ];
      for (const [form, headers] of attempts) {
        const answer = await answerOf(post(endpoint, form, headers));
        expect(answer).toMatchObject({ status: 401, body: { error: "invalid_client" } });
        expect(answer.headers.get("WWW-Authenticate")).toMatch(/^Basic /);
        expect(answer.headers.get("Cache-Control")).toBe("no-store");
      }
    });

    test(`20. a failed assertion at ${endpoint} is 400 with the token endpoint's words`, async () => {
      const other: Signer = await createSigner(context.owner);
      const forged = await signAssertion({ ...context.signer, key: other.key }, context.us);
      const answer = await answerOf(post(endpoint, { token: "x", ...assertionParameters(forged) }));
      expect(answer).toMatchObject(refusal("invalid JWT signature"));
    });
  }

  test("20. foreign, unknown and malformed tokens are exactly the same answer", async () => {
    const foreign = await issueToken(context.us, context.signer);
    const caller: Signer = await createSigner(context.owner);
    const never = mintToken("us", 7, webCryptoRandom);
    const mistyped = foreign.slice(0, -1) + (foreign.endsWith("0") ? "1" : "0");
    const tokens = [foreign, never.text, mistyped, "x", "eyJhbGciOiJub25lIn0.e30.", "é", "x".repeat(10_000)];
    for (const token of tokens) {
      const assertion = assertionParameters(await signAssertion(caller, context.us));
      const response = await post("introspect", { token, ...assertion });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(INACTIVE);
    }
  });

  test("20. a token for another resource is inactive for an app", async () => {
    const token = await issueToken(context.us, context.signer);
    const response = await post("introspect", { token }, basic(OTHER_RESOURCE_SERVER));
    expect(await response.text()).toBe(INACTIVE);
  });

  test("20. a token of another region is inactive", async () => {
    const foreign = mintToken("uk", 7, webCryptoRandom);
    const response = await post("introspect", { token: foreign.text }, basic(RESOURCE_SERVER));
    expect(await response.text()).toBe(INACTIVE);
  });
}
