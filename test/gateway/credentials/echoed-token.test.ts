import fc from "fast-check";
import { expect, test } from "vitest";
import { fetchWithoutEcho } from "../../../lib/gateway/credentials/echoed-token.ts";
import { utf8 } from "../../../lib/kernel/encoding.ts";
import { REDACTED } from "../../../lib/logging/redaction.ts";

/** Few characters, so that texts are full of its beginnings. */
const token = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 12, maxLength: 20 });
const filling = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });

test("69. a token is taken out of an answer wherever the pieces end in which it arrives", async () => {
  await fc.assert(
    fc.asyncProperty(
      token,
      fc.array(fc.oneof(filling, fc.constant(undefined)), { maxLength: 8 }),
      fc.integer({ min: 1, max: 30 }),
      async (secret, parts, size) => {
        const text = parts.map((part) => part ?? secret).join("");
        const bytes = utf8(text);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const body = new ReadableStream({
          start: (controller) => {
            for (const piece of pieces) controller.enqueue(piece);
            controller.close();
          },
        });
        const filtered = fetchWithoutEcho(async () => new Response(body), secret);
        expect(await (await filtered("https://upstream.example")).text()).toBe(text.replaceAll(secret, REDACTED));
      },
    ),
  );
});
