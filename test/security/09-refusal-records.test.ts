import { afterAll, beforeAll, expect, test } from "vitest";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { assertionNow, sendAssertion, signerOf } from "./in-process-client.ts";

let product: InProcess;
beforeAll(async () => {
  product = await startInProcess();
});
afterAll(() => product.close());

test("9. a copied assertion that verifies and is refused writes the first record and how many more there were", async () => {
  const client = await product.createClient();
  const expired = await assertionNow(product, await signerOf(client), { claims: { exp: 1 } });
  for (let i = 0; i < 200; i++) {
    expect((await sendAssertion(product, expired)).body).toMatchObject({ error_description: "expired JWT" });
  }
  const { stores, refusals } = product.dependencies;
  product.clock.set(product.clock.now() + 1);
  await refusals.flush();
  const { organizationId } = (await stores.apiClients.getForVerification(client.clientId)).record ?? {};
  const { items } = await stores.auditLog.query({ organizationId, type: "token.refused" }, { limit: 200 });
  expect(items.map(({ count }) => count)).toEqual([199, undefined]);
});
