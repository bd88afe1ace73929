import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { answerOf, basic, manage, postForm, tokenEndpointOf } from "./fixture.ts";
import { auditOutcome, auditRecords, bearer, post } from "./gateway-fixture.ts";
import { Person } from "./mcp-clients/person.ts";
import { GATEWAY_CLIENT, NOTES, SERVER } from "./request-flow/configuration.ts";
import { type SignIn, signInByHttp } from "./request-flow/sign-in.ts";
import { type RequestFlow, startRequestFlow } from "./request-flow/under-test.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

/**
 * The specification's gateway request flow, steps 1 to 7: an agent (the MCP SDK's client), an authorization server and a
 * gateway that are deployments of their own and know of each other by one address, a company's identity provider, and an API
 * and an MCP server that verify their tokens.
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

    describe("an agent that was given the gateway's URL calls an API for a person", () => {
      const endpoint = () => new URL(`${flow.gateway.url}/mcp`);
      let person: Person;
      let client: Client;
      let agent: string;
      let answer: unknown;

      test("1. it connects, and is told where to learn about tokens", async () => {
        const refused = await fetch(endpoint(), { method: "POST", body: "{}" });
        expect(refused.status).toBe(401);
        expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer .*resource_metadata="http[^"]+"$/);
      });

      test("2. the gateway's metadata lists the authorization server", async () => {
        const metadata: unknown = await (await fetch(await metadataOf(endpoint()))).json();
        expect(metadata).toMatchObject({
          resource: endpoint().href,
          authorization_servers: [flow.authProvider.url],
        });
      });

      test("3. its person signs in there, and it comes back with a token for the gateway", async () => {
        person = newPerson();
        client = await connect(endpoint(), person, pages());
        const asked = person.page();
        expect(asked.origin).toBe(flow.authProvider.url);
        const parameters = { resource: endpoint().href, code_challenge_method: "S256" };
        expect(Object.fromEntries(asked.searchParams)).toMatchObject(parameters);
        agent = asked.searchParams.get("client_id") ?? "";
        const claims = decodeJwt(String(person.tokens()?.access_token));
        expect(claims).toMatchObject({ iss: flow.authProvider.url, aud: endpoint().href, client_id: agent });
      });

      test("4. the gateway takes that token and no other, and knows agent and person from it", async () => {
        const token = String(person.tokens()?.access_token);
        const [header = "", payload = "", signature = ""] = token.split(".");
        const claims = { ...decodeJwt(token), sub: "user_somebody-else" };
        const forged = [header, btoa(JSON.stringify(claims)).replace(/=+$/, ""), signature].join(".");
        const statuses = [];
        for (const presented of [token, forged, `${header}.${payload}.${signature.slice(0, -6)}AAAAAA`]) {
          const response = await post(flow.gateway, LIST, bearer(presented));
          statuses.push(response.status);
          await response.body?.cancel();
        }
        expect(statuses).toEqual([200, 401, 401]);
      });

      test("5. it lists the tools of REST APIs and MCP servers, as far as the person may see them", async () => {
        const names = (await client.listTools()).tools.map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(["upstream_getNote", "impersonating_getNote", "server_whoami"]));
        for (const name of ["upstream_deleteNote", "server_broken", "getNote", "whoami"])
          expect(names).not.toContain(name);
      });

      test("6. policies judge its call, and the API gets a token of its own, for this call and nothing more", async () => {
        const denied = client.callTool({ name: "upstream_deleteNote", arguments: { noteId: "1" } });
        await expect(denied).rejects.toThrow();
        expect(flow.upstream.requests).toHaveLength(0);
        const before = Date.now();
        answer = await client.callTool({ name: "upstream_getNote", arguments: { noteId: "1" } });
        const [claims] = flow.upstream.accepted;
        const { sub, iat = 0, exp = 0 } = claims ?? {};
        expect(claims).toMatchObject({
          iss: flow.authProvider.url,
          aud: NOTES,
          client_id: GATEWAY_CLIENT.clientId,
          scope: "Notes.Read",
          act: { sub: agent },
        });
        expect(sub).toMatch(/^user_/);
        expect(exp - iat).toBe(40);
        expect(Math.abs(iat * 1_000 - before)).toBeLessThan(30_000);
        const [headers] = flow.upstream.requests;
        expect(JSON.stringify(headers)).not.toContain(String(person.tokens()?.access_token));
      });

      test("7. the answer goes back, and the record names the agent, its person, the tool and the outcome", async () => {
        const [claims] = flow.upstream.accepted;
        expect(answer).toMatchObject({ structuredContent: { title: `of ${claims?.sub}` } });
        const record = await auditOutcome(flow.owner, "getNote", "success");
        expect(record).toMatchObject({ user: claims?.sub, agent, tool: "upstream_getNote", app: "upstream" });
        const [denial] = await auditRecords(flow.owner, "deleteNote");
        expect(denial).toMatchObject({ user: claims?.sub, agent, tool: "upstream_deleteNote", outcome: "denied" });
        await client.close();
      });
    });

    test("an MCP server gets a token of its own for the call, with agent and person, and so has the record", async () => {
      const { gateway, servers, owner, authProvider } = flow;
      const person = newPerson();
      const client = await connect(new URL(`${gateway.url}/mcp`), person, pages());
      const before = servers.seen.length;
      await client.callTool({ name: "server_whoami", arguments: {} });
      const seen = servers.seen.slice(before).find(({ method }) => method === "tools/call");
      const agent = person.clientInformation()?.client_id;
      const { sub, iat = 0, exp = 0 } = seen?.claims ?? {};
      expect(seen?.claims).toMatchObject({ iss: authProvider.url, aud: SERVER, act: { sub: agent } });
      expect(sub).toMatch(/^user_/);
      expect(exp - iat).toBe(30);
      expect(JSON.stringify(seen?.headers)).not.toContain(String(person.tokens()?.access_token));
      const response = await manage(owner, "GET", "/audit-events?type=tool.invoked&tool=server_whoami&limit=1");
      const { items } = (await response.json()) as { readonly items: readonly unknown[] };
      expect(items).toMatchObject([{ user: sub, agent, tool: "server_whoami", app: "server", outcome: "success" }]);
      await client.close();
    });

    test("an app that impersonates has tokens of the person alone, without a trace of the agent", async () => {
      const { gateway, upstream, owner, authProvider } = flow;
      const person = newPerson();
      const client = await connect(new URL(`${gateway.url}/mcp`), person, pages());
      await client.callTool({ name: "upstream_listTags", arguments: {} });
      await client.callTool({ name: "impersonating_listTags", arguments: {} });
      const [delegated, impersonated] = upstream.accepted.slice(-2);
      const agent = person.clientInformation()?.client_id ?? "none";
      expect(delegated).toMatchObject({ act: { sub: agent } });
      expect(impersonated).toMatchObject({ iss: authProvider.url, aud: NOTES, sub: delegated?.sub });
      expect(impersonated).not.toHaveProperty("act");
      for (const trace of [agent, String(decodeJwt(String(person.tokens()?.access_token)).jti)])
        expect(JSON.stringify(impersonated)).not.toContain(trace);
      // Who acted is in the gateway's own records alone.
      const response = await manage(
        owner,
        "GET",
        "/audit-events?type=tool.invoked&tool=impersonating_listTags&limit=1",
      );
      const { items } = (await response.json()) as { readonly items: readonly unknown[] };
      expect(items).toMatchObject([{ user: delegated?.sub, agent, outcome: "success" }]);

      // The token ends with the person's link to the agent all the same.
      const token = upstream.requests.at(-1)?.authorization?.slice("Bearer ".length) ?? "";
      const introspect = async () =>
        (await answerOf(postForm(`${authProvider.url}/oauth2/introspect`, { token }, basic(GATEWAY_CLIENT)))).body;
      expect(await introspect()).toMatchObject({
        active: true,
        sub: delegated?.sub,
        client_id: GATEWAY_CLIENT.clientId,
      });
      const link = { token: person.tokens()?.refresh_token ?? "", client_id: agent };
      expect((await postForm(`${authProvider.url}/oauth2/revoke`, link)).status).toBe(200);
      expect(await introspect()).toEqual({ active: false });
      await client.close();
    });

    test("neither role needs the other's keys: the auth provider has no gateway, the gateway issues no tokens", async () => {
      const { authProvider, gateway } = flow;
      const statusOf = async (url: string, method = "GET") => {
        const response = await fetch(url, { method });
        await response.body?.cancel();
        return response.status;
      };
      const [discovery, resource] = ["/.well-known/openid-configuration", "/.well-known/oauth-protected-resource"];
      expect(await statusOf(authProvider.url + discovery)).toBe(200);
      expect(await statusOf(tokenEndpointOf(authProvider), "POST")).toBe(400);
      expect(await statusOf(authProvider.url + resource)).toBe(404);
      expect(await statusOf(`${authProvider.url}/mcp`, "POST")).toBe(404);
      expect(await statusOf(gateway.url + resource)).toBe(200);
      expect(await statusOf(`${gateway.url}/mcp`, "POST")).toBe(401);
      expect(await statusOf(gateway.url + discovery)).toBe(404);
      expect(await statusOf(tokenEndpointOf(gateway), "POST")).toBe(404);
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
      const listed = async () => {
        const all = await manage(providerOwner, "GET", "/connected-agents?everyone=true&limit=200");
        const { items } = (await all.json()) as { readonly items: readonly { user: string; client: string }[] };
        return items.filter((one) => one.user === user && one.client === agent);
      };
      const lastUsedAt = expect.any(String);
      expect(await listed()).toEqual([
        expect.objectContaining({ client: agent, hosts: [new URL(person.redirectUrl).host], lastUsedAt }),
      ]);
      expect((await manage(providerOwner, "DELETE", consent)).status).toBe(204);
      expect((await manage(providerOwner, "DELETE", consent)).status).toBe(404);
      expect(await listed()).toEqual([]);

      const calls = upstream.requests.length;
      await expect(client.callTool({ name: "upstream_listNotes", arguments: {} })).rejects.toThrow();
      expect(upstream.requests).toHaveLength(calls);
      const query = `/audit-events?type=consent.revoked&user=${user}`;
      const records = async () => (await manage(providerOwner, "GET", query)).json();
      await expect.poll(records, { timeout: 10_000 }).toMatchObject({ items: [{ user, agent, outcome: "success" }] });
      await client.close();
    });
  });
}

async function metadataOf(endpoint: URL): Promise<string> {
  const refused = await fetch(endpoint, { method: "POST", body: "{}" });
  await refused.body?.cancel();
  return /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1] ?? "";
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
