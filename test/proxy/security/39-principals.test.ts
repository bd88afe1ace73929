import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEvents } from "../../behaviour/mcp/events.ts";
import { notification, request } from "../../behaviour/mcp/session.ts";
import { eventually } from "../../support/eventually.ts";
import { type SessionUpstream, startSessionUpstream } from "../channel/session-upstream.ts";
import { type GuardedProxy, guardedProxy } from "./guarded-proxy.ts";

let upstream: SessionUpstream;
let it: GuardedProxy;
beforeAll(async () => {
  upstream = await startSessionUpstream({ said: { capabilities: { tools: { listChanged: true }, resources: {} } } });
  it = await guardedProxy(upstream.url, {
    shareable: true,
    headers: [{ name: "x-tenant", parts: [{ user: "tenant" }] }],
    exclude: ["/delete.*/"],
  });
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

const call = (name = "ledger_any") => request("tools/call", { name, arguments: {} });

describe("39. nothing crosses at an upstream", () => {
  test("between two tenants of one person with one agent, where headers tell the tenant", async () => {
    const tokens = await Promise.all(["one", "other"].map((tenant) => it.token({ claims: { tenant } })));
    const [before, listed] = [upstream.came.length, upstream.lists.length];
    for (const token of [...tokens, ...tokens]) {
      await it.ask("tools/list", {}, token);
      await it.ask("tools/call", { name: "ledger_any", arguments: {} }, token);
    }
    const came = upstream.came.slice(before).filter(({ session }) => session !== null);
    const tenants = Map.groupBy(came, ({ session }) => session).values();
    expect([...tenants].map((all) => [...new Set(all.map(({ headers }) => headers.get("x-tenant")))])).toEqual([
      ["one"],
      ["other"],
    ]);
    const listing = upstream.lists.slice(listed).filter(({ message }) => message.method === "tools/list");
    expect(listing.map(({ headers }) => headers.get("x-tenant"))).toEqual(["one", "other"]);
  });

  test("25. a session of another person or another agent is none, however it is used", async () => {
    const [own, ...others] = await Promise.all([
      it.token(),
      it.token({ subject: "user_bob" }),
      it.token({ clientId: "another-agent" }),
    ]);
    const session = await it.open(String(own));
    await (await it.post(call(), String(own), session)).text();
    const before = upstream.came.length;
    for (const token of others) {
      const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...session };
      const answers = [
        await it.post(call(), token, session),
        await it.post(notification("notifications/roots/list_changed"), token, session),
        await it.post({ jsonrpc: "2.0", id: "ledger/1", result: {} }, token, session),
        await it.send("/mcp", { headers }),
        await it.send("/mcp", { method: "DELETE", headers }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    }
    await it.settled();
    expect(upstream.came.length).toBe(before);
    expect(upstream.ended).not.toContain(upstream.came.at(-1)?.session);
  });
});

test("24. nothing of an agent's HTTP request reaches an upstream, whatever it is for", async () => {
  const token = await it.token({ subject: "user_carol" });
  const canary = {
    cookie: "canary=1",
    "x-forwarded-for": "canary",
    forwarded: "for=canary",
    "last-event-id": "canary",
    baggage: "canary=1",
    "mcp-canary": "canary",
    "x-tenant": "canary",
  };
  const [before, streams] = [upstream.came.length, upstream.streams.length];
  const opened = await it.open(token, { elicitation: {} });
  const session = { ...opened, ...canary };
  await (await it.post(call(), token, session)).text();
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...session };
  const events = readEvents(await it.send("/mcp", { headers }));
  await eventually(
    async () => upstream.streams.length,
    (count) => count > streams,
  );
  await it.post(notification("notifications/x"), token, session);
  await it.post({ jsonrpc: "2.0", id: "ledger/1", result: {} }, token, session);
  await it.ask("tools/call", { name: "ledger_any", arguments: {} }, token);
  await it.send("/mcp", { method: "DELETE", headers });
  await events.cancel();
  await it.settled();
  const came = upstream.came.slice(before);
  expect(came.length).toBeGreaterThan(6);
  const own = opened["Mcp-Session-Id"] ?? "";
  const written = JSON.stringify(came.map(({ text, headers: sent }) => [text, [...sent]]));
  for (const secret of [token, own, "canary"]) expect(written).not.toContain(secret);
  expect(upstream.streams.at(-1)?.lastEventId).toBeNull();
  expect(upstream.ended).toContain(came.find(({ session: at }) => at !== null)?.session);
  // What the upstream knows the session by is nobody else's to know.
  for (const line of it.logs) expect(line).not.toMatch(/"session-\d+"/);
});

test("27. a tool that is excluded is called by none of its names", async () => {
  const token = await it.token();
  const session = await it.open(token);
  await (await it.post(call(), token, session)).text();
  const before = upstream.came.length;
  for (const name of [
    "deleteAll",
    "ledger_deleteAll",
    "LEDGER_deleteAll",
    "ledger_deleteAll ",
    "ledger_\u00addeleteAll",
  ]) {
    await (await it.post(call(name), token, session)).text();
    await it.ask("tools/call", { name, arguments: {} }, token);
  }
  expect(upstream.came.slice(before).filter(({ message }) => message.method === "tools/call")).toEqual([]);
});
