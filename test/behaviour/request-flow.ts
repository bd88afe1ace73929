import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { manage } from "./fixture.ts";
import { auditOutcome } from "./gateway-fixture.ts";
import { Person } from "./mcp-clients/person.ts";
import { GATEWAY_CLIENT, NOTES } from "./request-flow/configuration.ts";
import { type SignIn, signInByHttp } from "./request-flow/sign-in.ts";
import { type RequestFlow, startRequestFlow } from "./request-flow/under-test.ts";

/**
 * The specification's gateway request flow, steps 1 to 7: an agent (the MCP SDK's client), an authorization server and a
 * gateway that know of each other by one address, a company's identity provider, and an API that verifies its tokens.
 *
 * @param pages how the person gets through the pages
 */
export function requestFlow(runtime: RuntimeUnderTest, pages: () => SignIn = () => ({ signIn: signInByHttp })): void {
  describe(`gateway request flow on ${runtime.name}`, () => {
    let flow: RequestFlow;
    beforeAll(async () => {
      flow = await startRequestFlow(runtime);
    });
    afterAll(() => flow?.stop());
    const newPerson = () => new Person(pages().redirectURL);

    test("an agent finds its way from the gateway's URL to the API, for a person, in seven steps", async () => {
      const { authProvider, gateway, upstream, owner } = flow;
      const endpoint = new URL(`${gateway.url}/mcp`);

      // 1. The agent connects, 2. learns where tokens come from,
      const refused = await fetch(endpoint, { method: "POST", body: "{}" });
      expect(refused.status).toBe(401);
      const [, metadataURL = ""] =
        /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
      const metadata: unknown = await (await fetch(metadataURL)).json();
      expect(metadata).toMatchObject({ resource: endpoint.href, authorization_servers: [authProvider.url] });

      // 3. has its person sign in there, and comes back with a token
      const person = newPerson();
      const client = await connect(endpoint, person, pages());
      const asked = person.page().searchParams;
      expect(Object.fromEntries(asked)).toMatchObject({ resource: endpoint.href, code_challenge_method: "S256" });

      // 4. that the gateway accepts. 5. It lists the tools that the person may see,
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toContain("upstream_getNote");
      expect(names).not.toContain("upstream_deleteNote");

      // 6. judges a call by its policies, and gives the API a token of its own, for this call and nothing more.
      const before = Date.now();
      const answer = await client.callTool({ name: "upstream_getNote", arguments: { noteId: "1" } });
      const [claims] = upstream.accepted;
      const agent = asked.get("client_id");
      const { sub, iat = 0, exp = 0 } = claims ?? {};
      expect(claims).toMatchObject({
        iss: authProvider.url,
        aud: NOTES,
        client_id: GATEWAY_CLIENT.clientId,
        scope: "Notes.Read",
        act: { sub: agent },
      });
      expect(sub).toMatch(/^user_/);
      expect(exp - iat).toBe(40);
      expect(Math.abs(iat * 1_000 - before)).toBeLessThan(30_000);

      // 7. The answer goes back, and the record says who did what for whom.
      expect(answer).toMatchObject({ structuredContent: { title: `of ${sub}` } });
      const record = await auditOutcome(owner, "getNote", "success");
      expect(record).toMatchObject({ user: sub, agent, tool: "upstream_getNote", app: "upstream" });

      const [headers] = upstream.requests;
      expect(JSON.stringify(headers)).not.toContain(String(person.tokens()?.access_token));
      await client.close();
    });

    test("each tool gets the scopes and lifetime that are configured for it, and none where nothing is", async () => {
      const { gateway, upstream } = flow;
      const client = await connect(new URL(`${gateway.url}/mcp`), newPerson(), pages());
      const tokens = upstream.accepted.length;
      await client.callTool({ name: "upstream_createNote", arguments: { title: "Second" } });
      await client.callTool({ name: "upstream_listTags", arguments: {} });
      const seen = upstream.accepted.slice(tokens).map(({ scope, exp = 0, iat = 0 }) => ({ scope, ttl: exp - iat }));
      expect(seen).toEqual([
        { scope: "Notes.Write", ttl: 20 },
        { scope: undefined, ttl: 60 },
      ]);
      await client.close();
    });

    test("once the person's link is revoked the agent gets no further, and the API hears of no other call", async () => {
      const { authProvider, gateway, upstream } = flow;
      const person = newPerson();
      const client = await connect(new URL(`${gateway.url}/mcp`), person, pages());
      await client.callTool({ name: "upstream_listTags", arguments: {} });
      const calls = upstream.requests.length;

      const { refresh_token: token = "" } = person.tokens() ?? {};
      const { client_id = "" } = person.clientInformation() ?? {};
      const body = new URLSearchParams({ token, client_id });
      const revoked = await fetch(`${authProvider.url}/oauth2/revoke`, { method: "POST", body });
      expect(revoked.status).toBe(200);

      await expect(client.callTool({ name: "upstream_listNotes", arguments: {} })).rejects.toThrow();
      expect(upstream.requests).toHaveLength(calls);
      expect(person.sentTo).toHaveLength(2);
      await client.close();
    });

    test("an owner takes back what a person allowed an agent, which ends every link between the two", async () => {
      const { gateway, upstream, providerOwner } = flow;
      const person = newPerson();
      const client = await connect(new URL(`${gateway.url}/mcp`), person, pages());
      await client.callTool({ name: "upstream_listTags", arguments: {} });
      const { sub: user = "" } = upstream.accepted.at(-1) ?? {};
      const agent = person.clientInformation()?.client_id ?? "";
      const consent = `/consents?${new URLSearchParams({ user, client: agent })}`;

      const shown = await manage(providerOwner, "GET", consent);
      expect(await shown.json()).toMatchObject({ user, client: agent, resources: [`${gateway.url}/mcp`] });
      expect((await manage(providerOwner, "DELETE", consent)).status).toBe(204);
      expect((await manage(providerOwner, "DELETE", consent)).status).toBe(404);

      const calls = upstream.requests.length;
      await expect(client.callTool({ name: "upstream_listNotes", arguments: {} })).rejects.toThrow();
      expect(upstream.requests).toHaveLength(calls);
      const records = await manage(providerOwner, "GET", `/audit-events?type=consent.revoked&user=${user}`);
      expect(await records.json()).toMatchObject({ items: [{ user, agent, outcome: "success" }] });
      await client.close();
    });
  });
}

/** As an application does that was given nothing but the gateway's URL. */
async function connect(endpoint: URL, person: Person, { signIn }: SignIn): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const refused = new StreamableHTTPClientTransport(endpoint, { authProvider: person });
  await expect(client.connect(refused)).rejects.toThrow();
  await refused.finishAuth(await signIn(person.page(), person.redirectUrl));
  await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: person }));
  return client;
}
