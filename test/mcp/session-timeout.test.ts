import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { notification, request } from "../behaviour/mcp/session.ts";
import { HOUR, type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
afterEach(() => it.close());

/** Everything that a client may do in its session. */
const USES = {
  request: (headers: Readonly<Record<string, string>>) => it.post(request("ping"), headers),
  notification: (headers: Readonly<Record<string, string>>) => it.post(notification("notifications/x"), headers),
  stream: async (headers: Readonly<Record<string, string>>) => {
    const response = await it.get(headers);
    await response.body?.cancel();
    return response;
  },
};
const use = fc.constantFrom(...Object.values(USES));

describe.each([1_000, 61_000, HOUR])("a session that may idle for %i ms", (timeout) => {
  test("is never over early and at most a sixtieth late, whenever and however it was used", async () => {
    it = await openGateway({ session: { timeout } });
    const late = Math.ceil(timeout / 60);
    const uses = fc.array(fc.tuple(use, fc.nat({ max: timeout })), { maxLength: 6 });
    const checked = fc.tuple(use, fc.nat({ max: timeout }), use, fc.nat({ max: 2 * timeout }));
    await fc.assert(
      fc.asyncProperty(uses, checked, async (before, [last, within, first, more]) => {
        const headers = await it.open();
        for (const [action, idle] of [...before, [last, within] as const]) {
          it.clock.set(it.clock.now() + idle);
          expect((await action(headers)).status).toBeLessThan(300);
        }
        it.clock.set(it.clock.now() + timeout);
        expect((await last(headers)).status).toBeLessThan(300);
        it.clock.set(it.clock.now() + timeout + late + more);
        expect((await first(headers)).status).toBe(404);
      }),
      { numRuns: 25 },
    );
  });
});

test("a session that is over cannot be ended, and its client begins another", async () => {
  it = await openGateway({ session: { timeout: 1_000 } });
  const headers = await it.open();
  it.clock.set(it.clock.now() + 2_000);
  expect((await it.send("/mcp", { method: "DELETE", headers })).status).toBe(404);
  const another = await it.open();
  expect(another).not.toEqual(headers);
  expect((await it.post(request("ping"), another)).status).toBe(200);
});

test("where clients may not end their sessions, DELETE is 405 and the session goes on", async () => {
  it = await openGateway({ session: { allowClientTermination: false } });
  const headers = await it.open();
  const response = await it.send("/mcp", { method: "DELETE", headers });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("POST, GET");
  expect((await it.post(request("ping"), headers)).status).toBe(200);
});

test("a caller that begins sessions too fast is told when to try again, and goes on in those it has", async () => {
  it = await openGateway();
  const sessions = [];
  for (let begun = 0; begun < 100; begun += 1) sessions.push(await it.open());
  const refused = await it.post({
    ...request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    }),
  });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32000 } });
  expect((await it.post(request("ping"), sessions[0])).status).toBe(200);
  it.clock.set(it.clock.now() + 1_000);
  expect((await it.post(request("ping"), await it.open())).status).toBe(200);
});
