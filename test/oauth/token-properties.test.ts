import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { introspectToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { mintToken, tokenPrefix, tokenReference } from "../../lib/authorization-server/tokens/opaque.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { counted } from "../support/counted.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("opaque tokens that are not whole", () => {
  const calls = { names: [] as string[] };
  let product: InProcess;
  beforeAll(async () => {
    product = await startInProcess({ adapt: (dependencies) => counted(dependencies, calls) });
  });
  afterAll(() => product.close());

  const isLookedUp = async (text: string) => {
    calls.names.length = 0;
    expect(await introspectToken(text, product.dependencies)).toBeUndefined();
    return calls.names.length > 0;
  };

  test("37. a token is looked up, and with any one character changed it is not", async () => {
    const { text } = mintToken("us", 171, webCryptoRandom);
    expect(await isLookedUp(text)).toBe(true);
    for (let at = 0; at < text.length; at++) {
      for (const character of [...ALPHABET, " ", "é"].filter((other) => other !== text[at])) {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        if (await isLookedUp(changed)) expect(changed).toBe("not looked up");
      }
    }
  });

  test("37. with any two characters exchanged it is not looked up", async () => {
    const { text } = mintToken("us", 7, webCryptoRandom);
    const at = fc.nat(text.length - 1);
    await fc.assert(
      fc.asyncProperty(at, at, async (one, other) => {
        const characters = [...text];
        [characters[one], characters[other]] = [characters[other] as string, characters[one] as string];
        const changed = characters.join("");
        expect(await isLookedUp(changed)).toBe(changed === text);
      }),
      { numRuns: 1_000 },
    );
  });

  test("37. of another region, or put together from two tokens, it is not looked up", async () => {
    const random = webCryptoRandom;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("uk", "us2", "u", "US", "us_us"),
        fc.integer({ min: 1, max: 51 }),
        async (region, cut) => {
          expect(await isLookedUp(mintToken(region, 1, random).text)).toBe(region.startsWith("us_"));
          const [first, second] = [mintToken("us", 1, random).text, mintToken("us", 1, random).text];
          const at = tokenPrefix("us").length + 2 + (cut % 42) + 1;
          const joined = first.slice(0, at) + second.slice(at);
          // Where what was exchanged is the same in both it is one of them.
          expect(await isLookedUp(joined)).toBe(joined === first || joined === second);
        },
      ),
    );
  });

  test("37. any other text is answered without a look", async () => {
    const nearly = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 51, maxLength: 51 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary" }), nearly), async (text) => {
        expect(await isLookedUp(text)).toBe(false);
        expect(await isLookedUp(`cst_us_${text}`)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

test("37. every shard has its own two digits, and every token leads back to its shard", async () => {
  const shards = Array.from({ length: 256 }, (_, shard) => shard);
  const minted = await Promise.all(shards.map((shard) => mintToken("us", shard, webCryptoRandom)));
  const read = await Promise.all(minted.map(({ text }) => tokenReference(text)));
  expect(read.map((reference) => reference?.shard)).toEqual(shards);
  expect(new Set(minted.map(({ text }) => text.slice(7, 9))).size).toBe(256);
  expect(new Set(minted.map(({ reference }) => reference.hash)).size).toBe(256);
});
