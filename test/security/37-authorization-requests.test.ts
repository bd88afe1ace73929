import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizationURL, type SignInStarted, startSignIn } from "../oauth/authorize/started.ts";

const CORRECT = new URL(authorizationURL()).searchParams;
const NAMES = [...CORRECT.keys(), "prompt", "max_age", "acr_values", "login_hint", "response_mode", "request", "other"];
const PATHS = ["/oauth2/authorize", "/oauth2/authorize/consent", "/oauth2/callback", "/oauth2/logout"];

const values = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "none",
    "login",
    "0",
    "-1",
    "openid",
    "tools:read",
    "https://gateway.example/mcp",
    "code",
    "%00",
    "\0",
  ),
);
const changes = fc.dictionary(fc.constantFrom(...NAMES, "state", "code", "interaction", "iss"), values, { maxKeys: 5 });

describe("whatever a browser sends", () => {
  let started: SignInStarted;
  beforeAll(async () => {
    started = await startSignIn();
  });
  afterAll(() => started.stop());

  const expectPlainAnswer = async (response: Response) => {
    expect([200, 303, 400]).toContain(response.status);
    const location = response.headers.get("location");
    const allowed = ["https://agent.example/callback", `${started.provider.issuer}/auth`, "https://us.example/"];
    if (location !== null) expect(allowed.some((start) => location.startsWith(start))).toBe(true);
    else expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    await response.body?.cancel();
  };

  test("37. parameters that are anything lead to a page, the client or the connector", async () => {
    const property = fc.asyncProperty(
      changes,
      fc.constantFrom(...PATHS),
      fc.boolean(),
      async (changed, path, isForm) => {
        const query = new URLSearchParams({ ...Object.fromEntries(CORRECT), ...changed }).toString();
        const isPost = isForm && path !== "/oauth2/callback";
        const headers = { "Content-Type": "application/x-www-form-urlencoded" };
        const init = isPost ? { method: "POST", headers, body: query } : {};
        await expectPlainAnswer(await started.product.send(isPost ? path : `${path}?${query}`, init));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test("37. text that is anything, too", async () => {
    const property = fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (body) => {
      const headers = { "Content-Type": "application/x-www-form-urlencoded" };
      await expectPlainAnswer(await started.product.send("/oauth2/authorize", { method: "POST", headers, body }));
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
