import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Signer } from "../behaviour/fixture.ts";
import { type InProcess, START, startInProcess } from "../support/in-process.ts";
import { assertionNow, sendAssertion, signerOf } from "./in-process-client.ts";

const NOW = START / 1000;
const MAX_LIFETIME = 3600;
const SKEW = 30;

describe("limits of an assertion's times, on a clock that stands still", () => {
  let product: InProcess;
  let signer: Signer;

  beforeAll(async () => {
    product = await startInProcess();
    signer = await signerOf(await product.createClient());
  });
  afterAll(() => product.close());

  const answer = async (claims: Readonly<Record<string, unknown>>) => {
    const { status, body } = await sendAssertion(product, await assertionNow(product, signer, { claims }));
    return status === 200 ? "accepted" : (body as { error_description: string }).error_description;
  };

  test.each([
    ["4. exp exactly now is refused", { exp: NOW }, "expired JWT"],
    ["4. exp one millisecond ahead is accepted", { exp: NOW + 0.001 }, "accepted"],
    ["4. exp at the cap plus skew is accepted", { exp: NOW + MAX_LIFETIME + SKEW }, "accepted"],
    ["4. exp a millisecond beyond is refused", { exp: NOW + MAX_LIFETIME + SKEW + 0.001 }, "invalid JWT claims"],
    ["4. nbf at the skew is accepted", { nbf: NOW + SKEW }, "accepted"],
    ["4. nbf a millisecond beyond is refused", { nbf: NOW + SKEW + 0.001 }, "invalid JWT claims"],
    ["4. iat at the skew is accepted", { iat: NOW + SKEW }, "accepted"],
    ["4. iat a millisecond beyond is refused", { iat: NOW + SKEW + 0.001 }, "invalid JWT claims"],
    ["4. iat long ago is accepted: exp decides", { iat: 0 }, "accepted"],
  ])("%s", async (_, claims, expected) => {
    expect(await answer(claims)).toBe(expected);
  });

  test("4. an assertion is refused from the very millisecond its exp names", async () => {
    const early = await assertionNow(product, signer, { claims: { exp: NOW + 60, jti: undefined } });
    product.clock.set(START + 59_999);
    expect((await sendAssertion(product, early)).status).toBe(200);
    product.clock.set(START + 60_000);
    expect((await sendAssertion(product, early)).body).toMatchObject({ error_description: "expired JWT" });
    product.clock.set(START);
  });
});
