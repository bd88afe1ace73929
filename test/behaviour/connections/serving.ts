import { expect, test } from "vitest";
import type { ConnectionPage } from "../../../lib/management/schemas/connections.ts";
import { createSigner, expectJson, manage } from "../fixture.ts";
import { bearer, gatewayToken, mcpURL, post, STATELESS_META } from "../gateway-fixture.ts";
import { modernHeaders } from "../mcp/stateless-fixture.ts";
import { type ConnectionsUnderTest, linkIn, NOTE, type PersonsAgent } from "./fixture.ts";

/** Calls of people who are connected, and how that ends. */
export function servingCalls(it: () => ConnectionsUnderTest): void {
  const connected = async (login: string): Promise<PersonsAgent> => {
    const agent = await it().agentOf(login);
    await it().walk(linkIn(await agent.ask("tools/call", NOTE)), login);
    return agent;
  };
  const isServed = async (agent: PersonsAgent) => (await agent.ask("tools/call", NOTE)).result.isError !== true;
  /** What came to the token endpoint while this went on. */
  const spentDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = it().hub.spent.length;
    await work();
    return it().hub.spent.slice(before);
  };

  test("68. five calls at once with a token that is over refresh it once, and all go through", async () => {
    it().hub.lifetime = 1;
    const agent = await connected("expiring");
    it().hub.lifetime = 3_600;
    const spent = await spentDuring(async () => {
      const served = await Promise.all(Array.from({ length: 5 }, () => isServed(agent)));
      expect(served).toEqual([true, true, true, true, true]);
    });
    expect(spent).toHaveLength(1);
    expect(await spentDuring(() => isServed(agent))).toEqual([]);
  });

  test("a token that the API takes no more is refreshed once, within the call", async () => {
    const agent = await connected("ended");
    it().hub.end("ended");
    const spent = await spentDuring(async () => expect(await isServed(agent)).toBe(true));
    expect(spent).toHaveLength(1);
  });

  test("a refresh token that the provider takes no more is told as no connection, and the person connects again", async () => {
    const agent = await connected("lost");
    it().hub.end("lost");
    it().hub.forget("lost");
    const told = await agent.ask("tools/call", NOTE);
    expect(told.result.content[0]?.text).toContain("again");
    await it().walk(linkIn(told), "lost");
    expect(await isServed(agent)).toBe(true);
  });

  test("what an owner takes back serves no call from the next one on, and is revoked at the provider", async () => {
    const agent = await connected("taken");
    const { hub, owner } = it();
    const listed = await manage(owner, "GET", "/connections?everyone=true&limit=200");
    const { items } = await expectJson<ConnectionPage>(listed, 200);
    const { connectionId, person = "", app = "" } = items.find(({ account }) => account?.label === "taken") ?? {};
    const query = new URLSearchParams({ person, app });
    expect((await manage(owner, "DELETE", `/connections/${connectionId}?${query}`)).status).toBe(204);
    expect(await isServed(agent)).toBe(false);
    await expect.poll(() => hub.revoked.filter((token) => token.startsWith("hub_refresh"))).toHaveLength(1);
    const before = hub.calls.length;
    expect(await isServed(agent)).toBe(false);
    expect(hub.calls.length).toBe(before);
  });

  test("an agent that acts for itself is refused without a link: nobody is there to connect", async () => {
    const { us, owner } = it();
    const signer = await createSigner(owner, { resources: [mcpURL(us)] });
    const params = { ...NOTE, _meta: STATELESS_META };
    const headers = { ...bearer(await gatewayToken(us, signer)), ...modernHeaders("tools/call", params) };
    const answer = await post(us, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers);
    expect(await answer.text()).not.toContain("/connect/");
    const records = async () => {
      const found = await manage(owner, "GET", `/audit-events?type=tool.invoked&agent=${signer.clientId}`);
      return (await expectJson<{ readonly items: readonly unknown[] }>(found, 200)).items;
    };
    await expect.poll(records).toMatchObject([{ outcome: "denied", reason: "no_person", app: "upstream" }]);
  });
}
