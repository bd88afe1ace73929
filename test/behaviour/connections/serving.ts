import { expect, test } from "vitest";
import type { ConnectionPage } from "../../../lib/management/schemas/connections.ts";
import { eventually } from "../../support/eventually.ts";
import { createSigner, expectJson, manage } from "../fixture.ts";
import { type AuditRecord, bearer, gatewayToken, mcpURL, post, STATELESS_META } from "../gateway-fixture.ts";
import { modernHeaders } from "../mcp/stateless-fixture.ts";
import { AGENT } from "../people-configuration.ts";
import { HELPER, SERVER } from "./configuration.ts";
import { type ConnectionsUnderTest, linkIn, NOTE, type PersonsAgent, type Told } from "./fixture.ts";

/** A tool of the app whose connections serve only the agent that asked. */
const WHOAMI = { name: `${SERVER}_whoami`, arguments: {} };

/** Calls of people who are connected, and how that ends. */
export function servingCalls(it: () => ConnectionsUnderTest): void {
  const connected = async (login: string): Promise<PersonsAgent> => {
    const agent = await it().agentOf(login);
    await it().walk(linkIn(await agent.ask("tools/call", NOTE)), login);
    return agent;
  };
  const isServed = async (agent: PersonsAgent) => (await agent.ask("tools/call", NOTE)).result.isError !== true;
  const isTold = ({ result }: Told) => result.isError === true;
  const connectionsOf = async (login: string) => {
    const listed = await manage(it().owner, "GET", "/connections?everyone=true&limit=200");
    const { items } = await expectJson<ConnectionPage>(listed, 200);
    return items.filter(({ account }) => account?.label === login);
  };
  /** Records of the end of a connection, newest first. */
  const revocations = async (connectionId: string): Promise<readonly AuditRecord[]> => {
    const found = await manage(it().owner, "GET", "/audit-events?type=connection.revoked");
    const { items } = await expectJson<{ readonly items: readonly AuditRecord[] }>(found, 200);
    return items.filter(({ details }) => (details as { connectionId?: string }).connectionId === connectionId);
  };
  /** What came to the token endpoint while this went on. */
  const spentDuring = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = it().hub.spent.length;
    await work();
    return it().hub.spent.slice(before);
  };

  test("68. fifty calls at once with a token that is over refresh it once, and all go through", async () => {
    it().hub.lifetime = 1;
    const agent = await connected("expiring");
    it().hub.lifetime = 3_600;
    const spent = await spentDuring(async () => {
      const served = await Promise.all(Array.from({ length: 50 }, () => isServed(agent)));
      expect(served.filter((is) => is)).toHaveLength(50);
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
    const tokens = hub.tokensOf("taken");
    const [{ connectionId, person = "", app = "" } = {}] = await connectionsOf("taken");
    const query = new URLSearchParams({ person, app });
    expect((await manage(owner, "DELETE", `/connections/${connectionId}?${query}`)).status).toBe(204);
    expect(await isServed(agent)).toBe(false);
    await expect.poll(() => hub.revoked).toEqual(expect.arrayContaining([...tokens]));
    const before = hub.calls.length;
    expect(await isServed(agent)).toBe(false);
    expect(hub.calls.length).toBe(before);
  });

  test("a second agent of the same person is asked to connect for itself, and the page says for which agent it is", async () => {
    const first = await it().agentOf("several");
    await it().walk(linkIn(await first.ask("tools/call", WHOAMI)), "several");
    expect(isTold(await first.ask("tools/call", WHOAMI))).toBe(false);
    const second = await it().agentOf("several", HELPER);
    const told = await second.ask("tools/call", WHOAMI);
    expect(told.result.isError).toBe(true);
    const page = await it().opened(it().newBrowser(), linkIn(told), "several");
    expect(page.html).toContain("<bdi>Helping hand</bdi> <code><bdi>helper</bdi></code>");
    expect(page.html).toContain("This agent alone");
    // Where the app lets every agent of the person use the account, the page says that.
    const shared = await it().opened(it().newBrowser(), linkIn(await second.ask("tools/call", NOTE)), "several");
    expect(shared.html).toContain("Every agent of yours");
    await it().walk(linkIn(told), "several");
    for (const agent of [first, second]) {
      const { result } = await agent.ask("tools/call", WHOAMI);
      expect([result.isError ?? false, result.content[0]?.text]).toEqual([false, expect.stringContaining("several")]);
    }
    expect((await connectionsOf("several")).map(({ agent }) => agent).sort()).toEqual([
      AGENT.clientId,
      HELPER.clientId,
    ]);
  });

  test("taking an agent's consent back ends what the person connected for it alone, here and at the provider", async () => {
    const login = "withdrawn";
    const agents = [await it().agentOf(login), await it().agentOf(login, HELPER)] as const;
    for (const agent of agents) await it().walk(linkIn(await agent.ask("tools/call", WHOAMI)), login);
    await it().walk(linkIn(await agents[0].ask("tools/call", NOTE)), login);
    const [{ person: user, connectionId } = { person: "", connectionId: "" }] = (await connectionsOf(login)).filter(
      ({ agent }) => agent === AGENT.clientId,
    );
    const before = it().hub.revoked.length;
    const query = new URLSearchParams({ user, client: AGENT.clientId });
    expect((await manage(it().owner, "DELETE", `/consents?${query}`)).status).toBe(204);
    // What serves another agent alone, or every agent, stays.
    expect((await connectionsOf(login)).map(({ agent }) => agent ?? "").sort()).toEqual(["", HELPER.clientId]);
    await eventually(
      async () => it().hub.revoked.slice(before),
      ({ length }) => length === 2,
    );
    const ended = await eventually(
      () => revocations(connectionId),
      ({ length }) => length === 2,
    );
    expect(ended).toEqual([
      expect.objectContaining({ details: { connectionId, connector: "hub", revokedAtProvider: "yes" } }),
      expect.objectContaining({ agent: AGENT.clientId, user, app: SERVER, actor: expect.stringMatching(/^user_/) }),
    ]);
    const again = await it().agentOf(login);
    expect(isTold(await again.ask("tools/call", WHOAMI))).toBe(true);
    expect([await isServed(again), isTold(await agents[1].ask("tools/call", WHOAMI))]).toEqual([true, false]);
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
