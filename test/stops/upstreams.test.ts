import { afterAll, beforeAll, expect, test } from "vitest";
import { liftStop, placeStop } from "../../lib/stops/change-stops.ts";
import { type Message, messagesOf, readEvents } from "../behaviour/mcp/events.ts";
import { request } from "../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { type ProxyGateway, proxyGateway } from "../proxy/channel/gateway.ts";
import { type SessionUpstream, startSessionUpstream } from "../proxy/channel/session-upstream.ts";
import { eventually } from "../support/eventually.ts";

const LISTEN = "subscriptions/listen";
const reading = Promise.withResolvers<void>();

let upstream: SessionUpstream;
let it: ProxyGateway;
beforeAll(async () => {
  const capabilities = { prompts: { listChanged: true }, resources: { subscribe: true } };
  upstream = await startSessionUpstream({ said: { capabilities }, read: async () => reading.resolve() });
  it = await proxyGateway({ ledger: upstream.url });
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

async function whileStopped(work: () => Promise<void>): Promise<void> {
  const { dependencies } = it;
  const { organizationId = "" } = (await dependencies.stores.directory.firstOrganization()) ?? {};
  const actor = { id: "user_owner", organizationId };
  const reason = "It does harm.";
  const { stop } = await placeStop(dependencies, actor, { kind: "app", id: "ledger", state: "suspended", reason });
  try {
    await work();
  } finally {
    await liftStop(dependencies, actor, stop?.stopId ?? "", { reason });
  }
}

const listedTools = async () =>
  (await it.ask(modern("tools/list"), modernHeaders("tools/list"))).result?.tools as readonly Message[];
const opened = (number: number) =>
  eventually(
    async () => upstream.streams.length,
    (count) => count === number,
  );

test("52. what runs at a stopped app ends: reads, subscriptions, and streams of sessions", async () => {
  const session = await it.open();
  const events = await it.get(session);
  const listening = modern(LISTEN, { notifications: { promptsListChanged: true } });
  const subscription = readEvents(await it.post(listening, modernHeaders(LISTEN)));
  expect((await subscription.message())?.method).toContain("acknowledged");
  const read = it.post(request("resources/read", { uri: "ledger+file:///a" }), session.headers).then(messagesOf);
  await reading.promise;
  await opened(2);
  const [before, lists] = [upstream.came.length, upstream.lists.length];
  await whileStopped(async () => {
    expect(JSON.stringify(await read)).toContain("An administrator has stopped this.");
    expect(await subscription.message()).toMatchObject({ result: { resultType: "complete" } });
    expect(await subscription.next()).toBeUndefined();
    expect(await listedTools()).toEqual([]);
    await eventually(async () => upstream.streams.every(({ stream }) => stream.isGone()), Boolean);
    const asked = upstream.came.slice(before).filter(({ message }) => message.id !== undefined);
    expect([asked, upstream.lists.length]).toEqual([[], lists]);
  });
  expect(await listedTools()).not.toEqual([]);
  await events.cancel();
});
