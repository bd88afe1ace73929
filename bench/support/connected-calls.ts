import { join } from "node:path";
import { openStoreThread } from "../../infra/node/store-thread/open.ts";
import type { McpBridgeAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { UserTokenConfiguration } from "../../lib/config/user-token-configuration.ts";
import { createPersonConnections } from "../../lib/connections/connections.ts";
import { createProviderResolver } from "../../lib/connections/discover.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { modern, modernHeaders } from "../../test/behaviour/mcp/stateless-fixture.ts";
import { HUB } from "../../test/connecting/started.ts";
import { echoApp } from "../../test/gateway/credentials/echoing-api.ts";
import { personToken } from "../../test/gateway/credentials/own-exchange.ts";
import { RESOURCE, trusted } from "../../test/gateway/started.ts";
import { PROVIDER, startInProcess } from "../../test/support/in-process.ts";
import { AGENT } from "../../test/support/oauth-apps.ts";

const PERSON = "user_alice";
const TOKEN = "gho_the-persons-own-token";
/** Milliseconds that an agent's token and the connection's live: longer than any measurement. */
const LIFETIME = 3_600_000;
const OUTBOUND: UserTokenConfiguration = {
  ...{ type: "userToken", connector: HUB.name, scopes: ["repo:read"], tools: [], perAgent: false },
};

export interface ConnectedCalls {
  /** A call of a Bridge tool with its credential. */
  call(): Promise<void>;
  /** The credential alone; nothing where it is static. */
  obtain(): Promise<void>;
  close(): Promise<void>;
}

/** The gateway in this process, with the store of a server on Node, before an API that costs nothing. */
export async function openConnectedCalls(folder: string, credential: "static" | "connection"): Promise<ConnectedCalls> {
  const store = openStoreThread(join(folder, `connected-${crypto.randomUUID()}`), systemClock);
  const app = { ...(await echoApp("https://api.example", staticOf(credential), SECRETS)), name: "tickets" };
  const api: typeof fetch = async (_, init) => {
    const { authorization } = Object.fromEntries(new Headers(init?.headers));
    if (authorization !== `Bearer ${TOKEN}`) throw new Error(`the call carries ${authorization}`);
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const product = await startInProcess({
    configuration: configurationOf(credential === "static" ? app : { ...app, outbound: OUTBOUND }),
    adapt: (plain) => ({ ...plain, stores: store.stores, clock: systemClock, outbound: () => api, fetch: api }),
  });
  product.clock.set(Date.now());
  const { dependencies } = product;
  const { configuration } = dependencies.configuration();
  const resolver = createProviderResolver(configuration, dependencies);
  const connections = createPersonConnections(configuration, { ...dependencies, resolver });
  const organizationId = (await store.stores.directory.firstOrganization())?.organizationId ?? "";
  const of = { organizationId, person: PERSON, app: "tickets", agent: AGENT.clientID };
  const request = {
    ...{ requestId: "request_1", remoteAddress: undefined, logger: dependencies.logger },
    ...{ authenticated: () => undefined, waitUntil: () => undefined },
  };
  const { tokenURL } = await resolver.resolve(HUB, {});
  const tokens = { accessToken: TOKEN, refreshToken: "ghr_1", tokenURL, clientID: "countersign" };
  const connected = { ...of, connector: HUB.name, perAgent: false, scopes: OUTBOUND.scopes };
  await connections.complete(
    connected,
    { ...tokens, scopes: OUTBOUND.scopes, expiresAt: Date.now() + LIFETIME },
    request,
  );

  const given = { name: "bearer", arguments: {} };
  const { text } = await personToken(product, { subject: PERSON, clientId: AGENT.clientID, lifetime: LIFETIME });
  const headers = {
    ...{ authorization: `Bearer ${text}`, "content-type": "application/json" },
    ...{ accept: "application/json, text/event-stream", ...modernHeaders("tools/call", given) },
  };
  const body = JSON.stringify(modern("tools/call", given));
  const want = { ...of, outbound: OUTBOUND, scopes: OUTBOUND.scopes };
  return {
    call: async () => {
      const answer = await (await product.send("/mcp", { method: "POST", headers, body })).text();
      if (!answer.includes('"content"') || answer.includes('"isError":true')) throw new Error(answer);
    },
    obtain: async () => {
      if (credential === "static") return;
      const { outcome } = await connections.obtain(want, request);
      if (outcome !== "obtained") throw new Error(`the credential is ${outcome}`);
    },
    close: async () => {
      await product.close();
      await store.close();
    },
  };
}

const SECRETS = { S_TOKEN: TOKEN };

function staticOf(credential: "static" | "connection"): object {
  return credential === "static" ? { auth: { bearer: { value: "<token>" } } } : {};
}

function configurationOf(app: McpBridgeAppConfiguration): Partial<Configuration> {
  return {
    mcpProvider: {
      serverName: "gateway",
      stream: {
        path: "/mcp",
        resource: RESOURCE,
        session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: LIFETIME },
      },
      oauth: {
        enabled: true,
        metadataPath: "/.well-known/oauth-protected-resource",
        servers: [trusted(PROVIDER.endpoints.wellKnown, { method: "auto" })],
      },
      ...{ allowedOrigins: [], allowedHosts: [] },
    },
    oauthConnectors: [HUB],
    vaultKeys: [base64url(new Uint8Array(32).fill(7))],
    apps: [AGENT, app],
  };
}
