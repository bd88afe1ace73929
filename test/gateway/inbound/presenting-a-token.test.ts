import { describe, expect, test } from "vitest";
import { guarded, trusted } from "./guarded.ts";
import { stubServer } from "./stub-server.ts";

const introspection = { clientID: "gateway", clientSecret: "secret", timeout: 1_000, maxRetries: 0 };

async function started() {
  const server = await stubServer();
  return guarded({ servers: [trusted(server.wellKnown, { method: "auto", introspection })], ...server });
}

describe("23. the Authorization header", () => {
  test.each(["bearer", "BEARER", "Bearer  "])("may spell its scheme %j", async (scheme) => {
    const it = await started();
    expect(await it.answerTo({ authorization: `${scheme} token` })).toBeUndefined();
  });

  test.each(["", "Basic YTpi", "DPoP token", "token", "Bearertoken", "Negotiate"])(
    "with %j presents no token, and the challenge says nothing of an error",
    async (authorization) => {
      const it = await started();
      const answer = await it.answerTo({ authorization });
      expect(answer?.status).toBe(401);
      expect(answer?.headers.get("www-authenticate")).toMatch(/^Bearer resource_metadata="/);
      expect(it.fetched).toEqual([]);
    },
  );

  test.each([
    ["nothing behind the scheme", "Bearer"],
    ["two tokens", "Bearer one two"],
    ["two headers", "Bearer one, Bearer two"],
    ["a scheme of each of two headers", "Bearer one, Basic YTpi"],
    ["a tab in the token", "Bearer a\tb"],
    ["a control character in the token", "Bearer a\u0001b"],
    ["what is not ASCII", "Bearer t\u00f6ken"],
    ["quotation marks", 'Bearer "token"'],
    ["more than 8 KiB", `Bearer ${"x".repeat(8_193)}`],
  ])("with %s is refused without a word to any server", async (_, authorization) => {
    const it = await started();
    const answer = await it.answerTo({ authorization });
    expect(answer?.status).toBe(401);
    expect(answer?.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
    expect(it.fetched).toEqual([]);
  });

  test("may hold a token of 8 KiB", async () => {
    const it = await started();
    expect(await it.statusOf("x".repeat(8_192))).toBe(200);
  });
});

test("23. no log line holds a token, whatever became of it", async () => {
  const it = await started();
  for (const token of ["canary-good", "canary bad", "canary.a.b"]) await it.statusOf(token);
  expect(it.logs.join("\n")).not.toContain("canary");
});
