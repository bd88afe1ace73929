import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Parameters } from "../behaviour/fixture.ts";
import {
  askToken,
  codeForm,
  exchangeForm,
  refreshForm,
  signedIn,
  startChain,
  startWithApps,
} from "../support/chains.ts";
import type { InProcess } from "../support/in-process.ts";

/** Texts as they are sent by mistake or on purpose: long, odd, in the form of something else. */
const odd = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("", " ", "\0", "null", "{}", "[]", "__proto__", "a".repeat(9_000), "eyJhbGciOiJub25lIn0.e30."),
  fc.json(),
  fc.array(fc.base64String({ maxLength: 40 }), { maxLength: 4 }).map((parts) => parts.join(".")),
);
const NAMES = [
  ...["code", "code_verifier", "redirect_uri", "refresh_token", "resource", "scope", "audience", "client_id"],
  ...["subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type"],
  ...["requested_expires_in", "requested_mode", "client_assertion", "client_assertion_type", "client_secret"],
] as const;

describe("grants that are asked for badly", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps();
  });
  afterAll(() => product.close());

  test("37. whatever stands in the parameters, the answer is tokens or a refusal, and never a failure", async () => {
    const { access_token, refresh_token } = await signedIn(product);
    const { code } = await startChain(product);
    const forms = [codeForm(code), refreshForm(refresh_token), exchangeForm(access_token)];
    const changes = fc.array(fc.tuple(fc.constantFrom(...NAMES), odd), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        fc.constantFrom("agent", "gateway"),
        changes,
        async (form, client, with_) => {
          const changed: Parameters = { ...form, ...Object.fromEntries(with_) };
          const { status, body } = await askToken(product, client, changed);
          expect([200, 400, 401]).toContain(status);
          if (status !== 200) expect(body).toHaveProperty("error");
        },
      ),
      { numRuns: 400 },
    );
  });

  test("37. whatever stands in the header of userinfo, the answer says how to come back", async () => {
    const header = fc.string({ unit: "grapheme-ascii", maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(header, fc.boolean(), async (text, isBearer) => {
        const Authorization = isBearer ? `Bearer ${text}` : text;
        const answer = await product.send("/oauth2/userinfo", { headers: { Authorization } });
        expect([400, 401]).toContain(answer.status);
        expect(answer.headers.get("WWW-Authenticate")).toMatch(/^Bearer /);
      }),
      { numRuns: 200 },
    );
  });
});
