import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startInProcess } from "../support/in-process.ts";
import { assertionNow, sendAssertion, signerOf } from "./in-process-client.ts";

test("10. neither token, assertion nor private key is anywhere in the store's files", async () => {
  const product = await startInProcess();
  const client = await product.createClient();
  const assertion = await assertionNow(product, await signerOf(client), { claims: { jti: "a-jti-to-look-for" } });
  const { body } = await sendAssertion(product, assertion);
  const { access_token } = body as { access_token: string };
  const files = readdirSync(product.folder).map((name) => readFileSync(join(product.folder, name)));
  const stored = Buffer.concat(files);
  expect(stored.includes(client.clientId)).toBe(true);
  const pemLine = client.privateKeyPem.split("\n")[1] as string;
  for (const secret of [
    access_token,
    access_token.slice(9, 52),
    assertion,
    assertion.split(".")[2] as string,
    pemLine,
  ]) {
    expect(stored.includes(secret)).toBe(false);
  }
  expect(stored.includes("a-jti-to-look-for")).toBe(false);
  await product.close();
});
