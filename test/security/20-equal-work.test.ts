import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintToken } from "../../lib/authorization-server/tokens/opaque.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { assertionParameters, type Signer } from "../behaviour/fixture.ts";
import { counted } from "../support/counted.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { assertionNow, sendAssertion, sendForm, signerOf } from "./in-process-client.ts";

describe("work done for a token that the caller may not see", () => {
  const calls = { names: [] as string[] };
  let product: InProcess;
  let caller: Signer;
  let foreign: string;

  beforeAll(async () => {
    product = await startInProcess({ adapt: (dependencies) => counted(dependencies, calls) });
    caller = await signerOf(await product.createClient());
    const other = await signerOf(await product.createClient());
    const { body } = await sendAssertion(product, await assertionNow(product, other));
    foreign = (body as { access_token: string }).access_token;
  });
  afterAll(() => product.close());

  const workFor = async (endpoint: string, token: string) => {
    const assertion = await assertionNow(product, caller);
    calls.names.length = 0;
    await sendForm(product, `/oauth2/${endpoint}`, { token, ...assertionParameters(assertion) });
    return [...calls.names];
  };

  test.each(["introspect", "revoke"])(
    "20. %s does the same for a foreign token as for one that never was",
    async (endpoint) => {
      const never = mintToken("us", 7, webCryptoRandom).text;
      const work = await workFor(endpoint, foreign);
      expect(work).toEqual(await workFor(endpoint, never));
      expect(work).toContain("tokens.introspect");
      expect(work).not.toContain("tokens.revoke");
    },
  );

  test("20. a token of another region, or with a wrong checksum, is not even looked up", async () => {
    const otherRegion = mintToken("uk", 7, webCryptoRandom).text;
    const mistyped = foreign.slice(0, -1) + (foreign.endsWith("0") ? "1" : "0");
    for (const token of [otherRegion, mistyped]) {
      expect(await workFor("introspect", token)).not.toContain("tokens.introspect");
    }
  });
});
