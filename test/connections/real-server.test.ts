import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { publicHalf } from "../../lib/connections/client-key.ts";
import { clientMetadata } from "../../lib/connections/client-metadata.ts";
import { refresh } from "../../lib/connections/provider.ts";
import type { ResolvedProvider } from "../../lib/connections/resolved-provider.ts";
import { CONNECTOR, KEYS, openWorld, type World } from "./world.ts";

let world: World;
let servers: Server[];
beforeEach(async () => {
  world = await openWorld();
  servers = [];
});
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await world.close();
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An MCP server whose people have accounts at oidc-provider, which takes registrations unless the configuration says otherwise. */
async function started(
  configuration: object = {},
): Promise<{ readonly connector: OAuthConnectorConfiguration; readonly issuer: string }> {
  const authorization = createServer((request, response) => provider.callback()(request, response));
  const issuer = await listening(authorization);
  const provider = new Provider(issuer, {
    features: { registration: { enabled: true }, devInteractions: { enabled: false }, revocation: { enabled: true } },
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
    ...configuration,
  });
  const resource = await listening(
    createServer((request, response) => {
      const document = { resource: `${resource}/mcp`, authorization_servers: [issuer] };
      if (request.url !== "/.well-known/oauth-protected-resource/mcp") response.writeHead(404).end();
      else response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(document));
    }),
  );
  return { connector: { ...CONNECTOR, endpoints: { kind: "discover", resource: `${resource}/mcp` } }, issuer };
}

test("oidc-provider is found, and knows the client that registered itself", async () => {
  const { connector, issuer } = await started();
  const provider = await world.resolver({ connector }).resolve(connector, {});
  expect(provider).toMatchObject({ issuer, sendsIssuer: true, clientAuthentication: "client_secret_basic" });
  const answered = async (secret: string) => {
    const authorization = `Basic ${btoa(`${provider.clientID}:${secret}`)}`;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "none of its own" });
    const response = await fetch(provider.tokenURL, { method: "POST", headers: { authorization }, body });
    return ((await response.json()) as { readonly error: string }).error;
  };
  expect(await answered(provider.clientSecret ?? "")).toBe("invalid_grant");
  expect(await answered("another secret")).toBe("invalid_client");
});

test("oidc-provider reads this service's document and keys, and knows the client that signs with them", async () => {
  const publicURL = "https://gw.example";
  const configuration = { oauthConnectors: [] as OAuthConnectorConfiguration[], publicURL };
  const resolver = () => world.resolver({ connector, publicURL });
  const read: string[] = [];
  const { connector, issuer } = await started({
    features: {
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
      devInteractions: { enabled: false },
    },
    clientAuthMethods: ["private_key_jwt", "none"],
    // In place of the network, in which nobody has this name.
    fetch: async (url: URL | string) => {
      read.push(String(url));
      if (String(url) === `${publicURL}/connect/client-keys/saas`) {
        return Response.json({ keys: (await resolver().documentKeys(connector)).map(publicHalf) });
      }
      return Response.json(clientMetadata(connector, await resolver().documentMethod(connector), configuration));
    },
  });
  const provider = await resolver().resolve(connector, {});
  expect(provider).toMatchObject({ issuer, clientAuthentication: "private_key_jwt" });
  const ports = { outbound: () => fetch, publicFetch: fetch, clock: { now: Date.now } };
  const tried = (at: ResolvedProvider) =>
    refresh(connector, at, { refreshToken: "none of its own", scopes: [] }, ports).catch(({ code }) => code);
  expect(await tried(provider)).toBe("invalid_grant");
  const [other] = await world.resolver({ connector, publicURL, keys: KEYS.slice(1) }).documentKeys(connector);
  expect(await tried({ ...provider, ...(other && { privateKey: other }) })).toBe("invalid_client");
  expect(await tried({ ...provider, clientAuthentication: "none" })).toBe("invalid_client");
  expect(new Set(read)).toEqual(new Set([provider.clientID, `${publicURL}/connect/client-keys/saas`]));
});
