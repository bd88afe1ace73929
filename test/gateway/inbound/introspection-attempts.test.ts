import { afterEach, describe, expect, test, vi } from "vitest";
import { guarded, trusted } from "./guarded.ts";
import { activeToken, type Introspect, stubServer } from "./stub-server.ts";

afterEach(() => vi.restoreAllMocks());

async function started(introspect: Introspect, more: { timeout?: number; maxRetries?: number } = {}) {
  const server = await stubServer(introspect);
  const introspection = { clientID: "gateway", clientSecret: "secret", timeout: 1_000, maxRetries: 3, ...more };
  const it = guarded({ servers: [trusted(server.wellKnown, { method: "introspection", introspection })], ...server });
  return { it, server };
}

const active = () => Response.json(activeToken());
const networkError = () => {
  throw new TypeError("fetch failed");
};

/** Each request gets the next of these answers, and the last one from then on. */
function inTurn(...answers: readonly Introspect[]): Introspect {
  let asked = 0;
  return (token, signal) => (answers[Math.min(asked++, answers.length - 1)] as Introspect)(token, signal);
}

describe("an introspection", () => {
  test.each([
    ["a network error", networkError],
    ["a 500", () => new Response(null, { status: 500 })],
    ["a 503", () => new Response(null, { status: 503 })],
  ] as const)("is repeated after %s, and its answer then counts", async (_, failure) => {
    const { it, server } = await started(inTurn(failure, failure, active));
    expect(await it.statusOf("token")).toBe(200);
    expect(server.introspected).toEqual(["token", "token", "token"]);
  });

  test.each([302, 401, 403, 404, 408, 429])("is not repeated after a %i", async (status) => {
    const { it, server } = await started(() => new Response(null, { status }));
    expect(await it.statusOf("token")).toBe(503);
    expect(server.introspected).toHaveLength(1);
  });

  test.each([0, 1, 3])("with %i retries is begun once more than that at most", async (maxRetries) => {
    const { it, server } = await started(networkError, { maxRetries });
    expect(await it.statusOf("token")).toBe(503);
    expect(server.introspected).toHaveLength(maxRetries + 1);
  });

  test("waits between its attempts, longer each time and never twice the same", async () => {
    const timer = vi.spyOn(globalThis, "setTimeout");
    // Of all timers of the process, by how many there were at each attempt.
    const timersAt: number[] = [];
    const failing: Introspect = () => {
      timersAt.push(timer.mock.calls.length);
      return networkError();
    };
    const { it } = await started(failing, { maxRetries: 4 });
    expect(await it.statusOf("token")).toBe(503);
    expect(timersAt).toHaveLength(5);
    for (const [attempt, before] of timersAt.slice(0, -1).entries()) {
      const delays = timer.mock.calls.slice(before, timersAt[attempt + 1]).map(([, delay = 0]) => delay);
      const isPause = (delay: number) => delay >= 25 * 2 ** attempt && delay < 75 * 2 ** attempt;
      expect(delays).toSatisfy((all: readonly number[]) => all.some(isPause));
    }
  });

  test("is not begun again once fifteen seconds are over, whatever the settings say", async () => {
    let pass: (milliseconds: number) => void = () => undefined;
    const { it, server } = await started(
      () => {
        pass(8_000);
        throw new TypeError("fetch failed");
      },
      { maxRetries: 10 },
    );
    pass = it.clock.pass;
    expect(await it.statusOf("token")).toBe(503);
    expect(server.introspected).toHaveLength(2);
  });

  test("without an answer is given up after the timeout and begun again, and is put off at last", async () => {
    const silent: Introspect = (_, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    const { it, server } = await started(silent, { timeout: 30, maxRetries: 1 });
    const answer = await it.answerTo({ authorization: "Bearer token" });
    expect(answer?.status).toBe(503);
    expect(answer?.headers.get("retry-after")).toBe("5");
    expect(server.introspected).toHaveLength(2);
  });
});

describe("what an introspection tells", () => {
  test.each([
    ["another audience", { aud: "https://other.example" }],
    ["no audience", { aud: undefined }],
    ["an audience that is no text", { aud: 5 }],
    ["an empty list of audiences", { aud: [] }],
    ["another issuer", { iss: "https://other.example" }],
    ["no expiry", { exp: undefined }],
    ["a key that it is bound to", { cnf: { jkt: "x" } }],
    ["another type", { token_type: "DPoP" }],
    ["that it is not active", { active: false }],
    ["nothing of whether it is active", { active: undefined }],
    ["a text for whether it is active", { active: "true" }],
  ])("23. refuses a token with %s", async (_, claims) => {
    const { it } = await started(() => Response.json(activeToken(claims)));
    expect(await it.statusOf("token")).toBe(401);
  });

  test("is enough with one audience of several", async () => {
    const { it } = await started(() =>
      Response.json(activeToken({ aud: ["https://other.example", "https://gateway.example/mcp"] })),
    );
    expect(await it.statusOf("token")).toBe(200);
  });

  test("is asked again at once when it was no, and after five seconds when it was yes", async () => {
    let isActive = false;
    const { it, server } = await started(() => Response.json(isActive ? activeToken() : { active: false }));
    expect(await it.statusOf("token")).toBe(401);
    isActive = true;
    expect(await it.statusOf("token")).toBe(200);
    expect(server.introspected).toHaveLength(2);
    isActive = false;
    it.clock.pass(4_999);
    expect(await it.statusOf("token")).toBe(200);
    it.clock.pass(1);
    expect(await it.statusOf("token")).toBe(401);
    expect(server.introspected).toHaveLength(3);
  });
});
