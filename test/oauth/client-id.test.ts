import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { webCryptoRandom } from "../../lib/random.ts";

const ours = clientIds(webCryptoRandom.bytes(32));

describe("client ids", () => {
  test("are client_ and a UUID of version 8", async () => {
    for (let i = 0; i < 50; i++) {
      const id = await ours.create(webCryptoRandom);
      expect(id).toMatch(/^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(await ours.isOurs(id)).toBe(true);
    }
  });

  test("of another region's secret are not ours", async () => {
    const id = await clientIds(webCryptoRandom.bytes(32)).create(webCryptoRandom);
    expect(await ours.isOurs(id)).toBe(false);
  });

  test("37. with one changed character are refused", async () => {
    const id = await ours.create(webCryptoRandom);
    await fc.assert(
      fc.asyncProperty(fc.nat(id.length - 1), fc.constantFrom(..."0123456789abcdefABC-_ "), async (at, character) => {
        const changed = id.slice(0, at) + character + id.slice(at + 1);
        expect(await ours.isOurs(changed)).toBe(changed === id);
      }),
      { numRuns: 500 },
    );
  });

  test("37. invented ids are refused, whatever they look like", async () => {
    const invented = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.uuid({ version: 8 }).map((uuid) => `client_${uuid}`),
      fc.uuid({ version: 4 }).map((uuid) => `client_${uuid}`),
    );
    await fc.assert(
      fc.asyncProperty(invented, async (text) => {
        expect(await ours.isOurs(text)).toBe(false);
      }),
    );
  });
});
