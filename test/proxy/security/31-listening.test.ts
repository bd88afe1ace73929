import { expect, test } from "vitest";
import { readEvents } from "../../behaviour/mcp/events.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { eventually } from "../../support/eventually.ts";
import { proxyGateway } from "../channel/gateway.ts";
import { startSessionUpstream } from "../channel/session-upstream.ts";

const LISTEN = "subscriptions/listen";

const forResources = (count: number) => ({
  notifications: { resourceSubscriptions: Array.from({ length: count }, (_, at) => `ledger+file:///${at}`) },
});

test("31. one message that listens causes no more than 200 requests, and none once its agent has left", async () => {
  const upstream = await startSessionUpstream({ said: { capabilities: { resources: { subscribe: true } } } });
  const it = await proxyGateway({ ledger: upstream.url });
  const subscribed = () => upstream.came.filter(({ message }) => message.method === "resources/subscribe").length;
  try {
    const refused = await it.post(modern(LISTEN, forResources(201)), modernHeaders(LISTEN));
    expect(await refused.json()).toMatchObject({ error: { code: -32_602, message: expect.stringContaining("200") } });
    expect(upstream.came).toEqual([]);

    const events = readEvents(await it.post(modern(LISTEN, forResources(200)), modernHeaders(LISTEN)));
    await eventually(
      async () => subscribed(),
      (count) => count > 2,
    );
    await events.cancel();
    await eventually(
      async () => upstream.ended.length,
      (count) => count === 1,
    );
    expect(subscribed()).toBeLessThan(200);
  } finally {
    await it.close();
    await upstream.close();
  }
});
