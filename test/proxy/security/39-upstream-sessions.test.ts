import { afterEach, beforeEach, expect, test } from "vitest";
import { readEvents } from "../../behaviour/mcp/events.ts";
import { notification, request } from "../../behaviour/mcp/session.ts";
import { eventually } from "../../support/eventually.ts";
import { type SessionUpstream, startSessionUpstream } from "../channel/session-upstream.ts";
import { startStatelessUpstream } from "../channel/stateless-upstream.ts";
import { type GuardedProxy, guardedProxy } from "./guarded-proxy.ts";

const said = { capabilities: { tools: {}, resources: { subscribe: true }, logging: {} } };

let upstream: SessionUpstream;
let other: SessionUpstream;
let it: GuardedProxy;
beforeEach(async () => {
  [upstream, other] = await Promise.all([startSessionUpstream({ said }), startSessionUpstream({ said })]);
  it = await guardedProxy(upstream.url, {
    methods: ["notifications/x"],
    headers: [{ name: "x-tenant", parts: [{ user: "tenant" }] }],
  });
});
afterEach(async () => {
  await it.close();
  await Promise.all([upstream.close(), other.close()]);
});

type Headers = Readonly<Record<string, string>>;
const tenant = (name: string) => it.token({ claims: { tenant: name } });

async function call(token: string, session: Headers): Promise<void> {
  await (await it.post(request("tools/call", { name: "ledger_any", arguments: {} }), token, session)).text();
}

async function subscribe(token: string, session: Headers): Promise<void> {
  const asked = request("resources/subscribe", { uri: "ledger+file:///secret" });
  await (await it.post(asked, token, session)).text();
}

/** Whatever an agent may do in its session. */
async function use(token: string, session: Headers): Promise<void> {
  await it.post(notification("notifications/x"), token, session);
  await it.post({ jsonrpc: "2.0", id: "ledger/1", result: {} }, token, session);
  await (await it.post(request("logging/setLevel", { level: "info" }), token, session)).text();
  await call(token, session);
  await it.post(notification("notifications/x"), token, session);
}

const end = (token: string, session: Headers) =>
  it.send("/mcp", { method: "DELETE", headers: { authorization: `Bearer ${token}`, ...session } });

/** Sessions at the upstream, each with the tenants whose requests came in it. */
function tenantsBySession(): readonly (readonly (string | null)[])[] {
  const came = [...upstream.came, ...upstream.streams].filter(({ session }) => session !== null);
  const bySession = Map.groupBy(came, ({ session }) => session).values();
  return [...bySession].map((all) => [...new Set(all.map(({ headers }) => headers.get("x-tenant")))]);
}

test("39. an agent's session that another tenant's token goes on with has another one at the upstream", async () => {
  const [one, two] = await Promise.all([tenant("one"), tenant("two")]);
  const session = await it.open(one);
  await call(one, session);
  await subscribe(one, session);
  await use(two, session);
  await it.settled();
  expect(tenantsBySession()).toEqual([["one"], ["two"]]);
  // What was subscribed to as the other tenant is not asked for as this one.
  const subscribed = upstream.came.filter(({ message }) => message.method === "resources/subscribe");
  expect(subscribed.map(({ headers }) => headers.get("x-tenant"))).toEqual(["one"]);

  await end(one, session);
  await it.settled();
  expect(upstream.ended).toEqual([]);
});

test("39. a session's stream hears nothing of a session that is another tenant's", async () => {
  const [one, two] = await Promise.all([tenant("one"), tenant("two")]);
  const session = await it.open(one);
  await call(one, session);
  const headers = { authorization: `Bearer ${one}`, accept: "text/event-stream", ...session };
  const events = readEvents(await it.send("/mcp", { headers }));
  const [first] = await eventually(
    async () => upstream.streams,
    ({ length }) => length === 1,
  );
  await call(two, session);
  await expect.poll(() => first?.stream.isGone()).toBe(true);
  await call(one, session);
  await expect.poll(() => upstream.streams.length).toBe(2);
  expect(upstream.streams.map(({ headers: sent }) => sent.get("x-tenant"))).toEqual(["one", "one"]);
  expect(tenantsBySession()).toEqual([["one"], ["two"], ["one"]]);
  await events.cancel();
});

test("39. a session is known to no server but the one that gave it", async () => {
  const token = await it.token();
  const session = await it.open(token);
  await call(token, session);
  await subscribe(token, session);
  await it.settled();
  const before = upstream.came.length;
  it.moveTo(other.url);
  await use(token, session);
  await it.settled();
  expect(upstream.came.length).toBe(before);
  expect(other.came.map(({ message }) => message.method)).toEqual([
    "initialize",
    "notifications/initialized",
    "logging/setLevel",
    "tools/call",
    "notifications/x",
  ]);
  expect(other.came[0]?.session).toBeNull();
  await end(token, session);
  await it.settled();
  expect([upstream.ended, other.ended]).toEqual([[], [other.came.at(-1)?.session]]);
});

test("39. what was never used at the new server is not ended there", async () => {
  const token = await it.token();
  const session = await it.open(token);
  await call(token, session);
  await it.settled();
  it.moveTo(other.url);
  expect((await end(token, session)).status).toBe(204);
  await it.settled();
  expect([other.came, other.ended, upstream.ended]).toEqual([[], [], []]);
});

test("39. what was subscribed to at a server without sessions is asked for at no other, which is listened to all the same", async () => {
  const [former, next] = await Promise.all(
    [1, 2].map(() => startStatelessUpstream({ tools: { listChanged: true }, resources: { subscribe: true } })),
  );
  if (former === undefined || next === undefined) return expect.fail();
  it.moveTo(former.url);
  const token = await it.token();
  const session = await it.open(token);
  await subscribe(token, session);
  await it.settled();
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...session };
  const events = readEvents(await it.send("/mcp", { headers }));
  await expect.poll(() => former.listenings.length).toBe(1);
  expect(former.listenings[0]?.notifications).toMatchObject({ resourceSubscriptions: ["file:///secret"] });
  await events.cancel();
  it.moveTo(next.url);
  const others = readEvents(await it.send("/mcp", { headers }));
  await expect.poll(() => next.listenings.length).toBe(1);
  expect(next.listenings[0]?.notifications).not.toHaveProperty("resourceSubscriptions");
  await subscribe(token, session);
  await expect.poll(() => next.listenings.length).toBe(2);
  expect(next.listenings[1]?.notifications).toMatchObject({ resourceSubscriptions: ["file:///secret"] });
  await others.cancel();
  await Promise.all([former.close(), next.close()]);
});

test("a session that the release before wrote down goes on", async () => {
  const token = await it.token();
  const session = await it.open(token);
  await call(token, session);
  await it.settled();
  const { stores, clock } = it.dependencies;
  const organization = await stores.directory.firstOrganization();
  const [listed] = (await stores.mcpSessions.list(organization?.organizationId ?? "", clock.now(), { limit: 1 })).items;
  const record = (await stores.mcpSessions.get(listed?.sessionHash ?? "", clock.now())) ?? expect.fail();
  const { boundTo: _, ...former } = record.upstreams?.ledger ?? expect.fail();
  await stores.mcpSessions.setUpstream(record, "ledger", { ...former, key: "former" }, former.key, clock.now());
  await call(token, session);
  await it.settled();
  expect(upstream.came.filter(({ message }) => message.method === "initialize")).toHaveLength(1);
});
