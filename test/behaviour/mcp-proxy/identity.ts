import { describe, expect, test } from "vitest";
import { bearer } from "../gateway-fixture.ts";
import { messagesOf } from "../mcp/events.ts";
import { openAgent, textOf } from "./agent.ts";
import type { ProxyUnderTest } from "./fixture.ts";

const FOREIGN = {
  cookie: "a=b",
  "x-forwarded-for": "198.51.100.1",
  "x-agent": "somebody",
  "proxy-authorization": "Basic YQ==",
  "x-secret": "of the agent",
};

/** Who servers learn that calls are from. */
export function proxiedIdentity(it: () => ProxyUnderTest): void {
  const callsSince = (before: number) =>
    it()
      .servers.seen.slice(before)
      .filter(({ method }) => method === "tools/call");

  describe.each(["held", "plain"])("24. the server %s", (app) => {
    test.each(["session", "stateless"] as const)(
      "24. gets an exchanged token and configured headers, and nothing of a %s agent's",
      async (generation) => {
        const { servers, ada } = it();
        const before = servers.seen.length;
        await messagesOf(await ada[generation].send("tools/call", { name: `${app}_whoami`, arguments: {} }, FOREIGN));
        const [call] = callsSince(before);
        expect(call?.claims).toMatchObject({
          sub: ada.clientId,
          act: { sub: ada.clientId },
          client_id: "gateway",
          scope: "servers:whoami",
        });
        expect(call?.headers).toMatchObject({ "x-agent": ada.clientId, "x-request": expect.any(String) });
        for (const { headers } of servers.seen.slice(before)) {
          expect(JSON.stringify(headers)).not.toContain(ada.token);
          expect(headers["x-agent"]).toBe(ada.clientId);
          for (const name of ["cookie", "x-forwarded-for", "proxy-authorization", "x-secret", "x-agent-session"])
            expect(headers[name]).toBeUndefined();
        }
        expect(call?.session).not.toBe(ada.session.headers["X-Agent-Session"]);
      },
    );

    test("29. refuses a token once, and gets another one; refuses again, and the agent hears why", async () => {
      const { servers, ada } = it();
      for (const agent of [ada.session, ada.stateless]) {
        servers.refuse(1);
        const before = servers.seen.length;
        expect(JSON.parse(await agent.said(`${app}_whoami`))).toMatchObject({ sub: ada.clientId });
        const [refused, renewed, ...others] = callsSince(before).map(({ headers }) => headers.authorization);
        expect(others).toEqual([]);
        expect(renewed).not.toBe(refused);
        servers.refuse(2);
        const answer = await agent.call(`${app}_whoami`);
        servers.refuse(0);
        expect(answer.result?.isError).toBe(true);
        expect(textOf(answer)).toContain("The MCP server refused the token");
        expect(textOf(answer)).not.toContain("of the server");
      }
    });

    test("scopes that a tool needs and the token lacks are a challenge, before the server is asked", async () => {
      const { servers, ada } = it();
      const before = servers.seen.length;
      for (const agent of [ada.session, ada.stateless]) {
        const response = await agent.send("tools/call", { name: `${app}_write`, arguments: {} });
        expect(response.status).toBe(403);
        const challenge = response.headers.get("www-authenticate");
        expect(challenge).toContain('error="insufficient_scope"');
        expect(challenge).toContain("servers:write");
        await response.body?.cancel();
      }
      expect(callsSince(before)).toEqual([]);
    });
  });

  test("an MCP server's tools have scopes and lifetimes of their own, by exact name or by expression", async () => {
    const { servers, ada } = it();
    const before = servers.seen.length;
    for (const name of ["plain_whoami", "plain_count"]) await ada.session.said(name);
    const terms = callsSince(before).map(({ claims: { scope, exp = 0, iat = 0 } }) => [scope, exp - iat]);
    expect(terms).toEqual([
      ["servers:whoami", 120],
      [undefined, 60],
    ]);
    // `danger` is denied by the expression /.*anger/, `whoami` is not.
    const denied = await ada.session.send("tools/call", { name: "danger", arguments: {} });
    expect([denied.status, denied.headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringContaining("servers:danger"),
    ]);
    await denied.body?.cancel();
    expect((await ada.session.call("whoami")).result).toBeDefined();
    const names = callsSince(before).map(({ message }) => (message.params as { readonly name: string }).name);
    expect(names).toEqual(["whoami", "count", "whoami"]);
  });

  test("39. agents and devices of one agent share no session, token or list", async () => {
    const { servers, us, ada, grace } = it();
    const device = await openAgent(us, bearer(ada.token), "session");
    const before = servers.seen.length;
    for (const agent of [ada.session, device, grace.session]) await agent.said("held_whoami");
    const calls = callsSince(before);
    expect(new Set(calls.map(({ session }) => session)).size).toBe(3);
    expect(calls.map(({ claims }) => claims.sub)).toEqual([ada.clientId, ada.clientId, grace.clientId]);
    for (const [one, other] of [
      [ada, grace],
      [grace, ada],
    ] as const) {
      for (const names of [await one.session.names("tools"), await one.stateless.names("tools")]) {
        const own = names.filter((name) => name.includes(one.clientId.slice(0, 20)));
        expect(own.length).toBeGreaterThanOrEqual(2);
        expect(names.filter((name) => name.includes(other.clientId.slice(0, 20)))).toEqual([]);
      }
    }
  });

  test("39. an agent's session is nobody else's, and leads to no session of its own at a server", async () => {
    const { servers, us, ada, grace } = it();
    const stolen = { ...ada.session.headers, ...bearer(grace.token) };
    const before = servers.seen.length;
    const response = await fetch(`${us.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...stolen },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "held_whoami" } }),
    });
    expect(response.status).toBe(404);
    await response.body?.cancel();
    expect(callsSince(before)).toEqual([]);
  });
}
