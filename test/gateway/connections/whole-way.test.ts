import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Configuration, McpStreamConfiguration } from "../../../lib/config/configuration.ts";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { answerTo, readEvents } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../../behaviour/mcp/stateless-fixture.ts";
import { type ConnectStarted, HUB, opened, startConnecting } from "../../connecting/started.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { ISSUER, PROVIDER } from "../../support/in-process.ts";
import { AGENT } from "../../support/oauth-apps.ts";
import type { PersonsBrowser } from "../../support/person.ts";
import { type EchoingApi, echoApp, startEchoingApi } from "../credentials/echoing-api.ts";
import { personToken } from "../credentials/own-exchange.ts";
import { RESOURCE, trusted } from "../started.ts";
import { type Answer, repeating } from "./connecting-gateway.ts";

/** The provider of accounts is a real one (oidc-provider), and so are store, vault, pages and API. */
let hub: IdentityProvider;
let api: EchoingApi;
let started: ConnectStarted;
beforeAll(async () => {
  hub = await startIdentityProvider();
  await hub.register([`${ISSUER}/connect/callback/hub`]);
  api = await startEchoingApi();
});
afterAll(async () => {
  await hub.stop();
  await api.stop();
});
beforeEach(async () => {
  const outbound = { type: "userToken", connector: "hub", scopes: ["openid"], tools: [], perAgent: false } as const;
  const tickets = { ...(await echoApp(api.url, {})), name: "tickets", outbound };
  const stream: McpStreamConfiguration = {
    path: "/mcp",
    resource: RESOURCE,
    session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 },
  };
  const configuration: Partial<Configuration> = {
    mcpProvider: {
      serverName: "gateway",
      stream,
      oauth: {
        enabled: true,
        metadataPath: "/.well-known/oauth-protected-resource",
        servers: [trusted(PROVIDER.endpoints.wellKnown, { method: "auto" })],
      },
      allowedOrigins: [],
      allowedHosts: [],
    },
    oauthConnectors: [
      {
        ...HUB,
        ...{ clientID: hub.client.id, clientSecret: hub.client.secret },
        endpoints: {
          kind: "static",
          ...{ authorizationURL: `${hub.issuer}/auth`, tokenURL: `${hub.issuer}/token`, issuer: hub.issuer },
        },
        account: { url: `${hub.issuer}/me`, id: "sub", label: "name" },
      },
    ],
    apps: [AGENT, tickets],
    vaultKeys: [base64url(new Uint8Array(32).fill(7))],
  };
  started = await startConnecting(configuration, { within: [hub.issuer], isReal: true });
});
afterEach(() => started.stop());

/** An agent of a person. */
async function agentOf(login: string) {
  const { product, personOf } = started;
  const { text } = await personToken(product, { subject: personOf(login), clientId: AGENT.clientID });
  const send = (init: RequestInit) => product.send("/mcp", init);
  const authorization = `Bearer ${text}`;
  const post = (body: unknown, headers: Readonly<Record<string, string>>) =>
    send({
      method: "POST",
      headers: {
        authorization,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const answered = async (response: Promise<Response>) => (await answerTo(await response)) as unknown as Answer;
  return {
    /** In 2026-07-28. */
    call: (more: object = {}, elicitation: object = { url: {} }) => {
      const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation } };
      const given = { name: "open", arguments: {}, ...more, _meta };
      return answered(post(modern("tools/call", given), modernHeaders("tools/call", given)));
    },
    /** In a session of 2025-11-25. */
    open: async () => {
      const clientInfo = { name: "agent", version: "1" };
      const capabilities = { elicitation: { url: {} } };
      const begun = await post(request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo }), {});
      await begun.text();
      const headers = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
      const get = { headers: { authorization, accept: "text/event-stream", ...headers } };
      return {
        call: () => answered(post(request("tools/call", { name: "open", arguments: {} }), headers)),
        listen: async () => readEvents(await send(get)),
      };
    },
  };
}

/** From the link to the last page. */
async function walk(browser: PersonsBrowser, link: string): Promise<string> {
  const page = await opened(browser, link);
  const atHub = await browser.press(page, "Go on");
  return (await browser.press(atHub, "Sign in", { login: "octo-alice" })).html;
}

/** What the API was sent last. */
const sent = () => api.requests.at(-1)?.headers.authorization;

/** Everything that was said or kept in the open. */
async function seen(...answers: unknown[]): Promise<string> {
  const events = await Promise.all(
    (["tool.invoked", "connection.requested", "connection.completed"] as const).map(started.records),
  );
  return JSON.stringify([answers, events, started.product.logs]);
}

describe("from an agent's call through the pages to the call again", () => {
  test("an agent of 2026-07-28 that waits gets the result, with the person's token at the API alone", async () => {
    const agent = await agentOf("alice");
    const { result: asked } = await agent.call();
    expect(asked.resultType).toBe("input_required");
    const waiting = agent.call(repeating(asked));
    const done = await walk(started.newBrowser(), asked.inputRequests.connect.params.url);
    expect(done).toContain("is connected to");
    const answer = await waiting;
    expect(answer.result).toMatchObject({ resultType: "complete" });
    const token = String(sent()).replace("Bearer ", "");
    expect(token.length).toBeGreaterThan(8);
    expect(await seen(answer, asked, done)).not.toContain(token);
    expect((await agent.call()).result.isError).toBeUndefined();
  });

  test("an agent without URL mode takes the link out of the text, and its next call goes through", async () => {
    const agent = await agentOf("alice");
    const { result } = await agent.call({}, {});
    const [link = ""] = /https:\S+\/connect\/\S+/.exec(result.content[0]?.text ?? "") ?? [];
    await walk(started.newBrowser(), link);
    expect((await agent.call({}, {})).result.isError).toBeUndefined();
    expect(sent()).toMatch(/^Bearer /);
  });

  test("a session of 2025-11-25 hears on its stream that the elicitation is complete", async () => {
    const session = await (await agentOf("alice")).open();
    const events = await session.listen();
    const { error } = await session.call();
    expect(error.code).toBe(-32042);
    const { elicitations } = error.data as { elicitations: [{ url: string; elicitationId: string }] };
    const [{ url, elicitationId }] = elicitations;
    await walk(started.newBrowser(), url);
    expect(await events.message()).toMatchObject({
      method: "notifications/elicitation/complete",
      params: { elicitationId },
    });
    expect((await session.call()).result.isError).toBeUndefined();
    await events.cancel();
  });

  test("a link that another person opens connects nothing, for neither of them", async () => {
    const alice = await agentOf("alice");
    const { result } = await alice.call({}, {});
    const [link = ""] = /https:\S+\/connect\/\S+/.exec(result.content[0]?.text ?? "") ?? [];
    const page = await opened(started.newBrowser(), link, "bob");
    expect(page.html).not.toContain("Go on");
    expect((await alice.call({}, {})).result.isError).toBe(true);
    expect((await (await agentOf("bob")).call({}, {})).result.isError).toBe(true);
  });
});
