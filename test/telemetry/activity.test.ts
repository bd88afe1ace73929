import { afterEach, describe, expect, test } from "vitest";
import { withTelemetry } from "../../lib/application/with-telemetry.ts";
import { type Activity, measureActivity } from "../../lib/telemetry/sdk/meter.ts";
import { request } from "../behaviour/mcp/session.ts";
import { type OpenGateway, openGateway } from "../mcp/open-gateway.ts";
import { eventually } from "../support/eventually.ts";

let it: OpenGateway;
let activity: Activity;
afterEach(() => it.close());

/** @param flush where each request delivers what is due */
async function start(flush?: () => Promise<void>): Promise<void> {
  activity = measureActivity("https");
  const nothing = { startSpan: () => undefined, record: () => undefined };
  it = await openGateway({
    adapt: (dependencies) => withTelemetry(dependencies, { ...nothing, ...activity, ...(flush && { flush }) }),
  });
}

const now = () => {
  const { "http.server.active_requests": requests, "countersign.mcp.active_sessions": sessions } =
    activity.observations;
  const total = (requests?.() ?? []).reduce((sum, { value }) => sum + value, 0);
  return { requests: total, sessions: sessions?.()[0]?.value };
};
const soon = (expected: ReturnType<typeof now>) =>
  eventually(
    async () => now(),
    (seen) => JSON.stringify(seen) === JSON.stringify(expected),
  );

describe("what an instance is doing at once", () => {
  test("is nothing at first, and nothing again after requests and sessions that they began", async () => {
    await start();
    expect(now()).toEqual({ requests: 0, sessions: 0 });
    await it.open();
    await it.post(request("ping"), { "X-Agent-Session": "unknown" });
    await soon({ requests: 0, sessions: 0 });
  });

  test("counts a session once for all of its streams and requests, until the last has ended", async () => {
    await start();
    const [one, other] = [await it.open(), await it.open()];
    const streams = [await it.get(one), await it.get(other)];
    await (await it.post(request("ping"), one)).text();
    await soon({ requests: 2, sessions: 2 });
    await streams[0]?.body?.cancel();
    await soon({ requests: 1, sessions: 1 });
    await streams[1]?.body?.cancel();
    await soon({ requests: 0, sessions: 0 });
  });

  test("includes a request until what it delivers is delivered, where requests deliver", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await start(() => promise);
    await it.open();
    expect(now()).toEqual({ requests: 1, sessions: 1 });
    resolve();
    await soon({ requests: 0, sessions: 0 });
  });
});
