import { afterAll, beforeAll, expect, test } from "vitest";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { createVault } from "../../lib/connections/vault.ts";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { startTokenServer, type TokenServer } from "../connections/support/token-server.ts";
import { connection, connectionEvent, keyOf } from "../contract/connection-records.ts";
import { COOKIE, type ManagedInstance, managementAsApp, RECOVERED, startManaged } from "./instance.ts";

const KEY = base64url(new Uint8Array(32).fill(9));

let provider: TokenServer;
let product: ManagedInstance;
let cookie: string;
let organizationId: string;
beforeAll(async () => {
  provider = await startTokenServer();
  const app = await managementAsApp();
  const outbound = { type: "userToken", connector: "saas", scopes: [], tools: [], perAgent: false } as const;
  product = await startManaged({
    configuration: {
      ...{ vaultKeys: [KEY], oauthConnectors: [connector("saas", `${provider.url}/revoke`), connector("mute")] },
      apps: [{ ...app, outbound }],
    },
    outbound: globalThis.fetch,
  });
  const { directory } = product.dependencies.stores;
  organizationId = (await directory.firstOrganization())?.organizationId as string;
  const owner = (await directory.findPersonByEmail(RECOVERED))?.userId as string;
  cookie = `${COOKIE}=${await startBrowserSession(product.dependencies, owner, { method: "link", userAgent: undefined })}`;
});
afterAll(async () => {
  await product?.close();
  await provider?.close();
});

test.each([
  { of: "saas", revokesAtProvider: true, revokedAtProvider: "yes", isDead: true },
  { of: "mute", revokesAtProvider: false, revokedAtProvider: "unsupported", isDead: false },
])("a connection at $of that is taken back: $revokedAtProvider", async (row) => {
  const pair = provider.grant();
  const record = await connectedAt(row.of, pair);
  const listed = await product.send("/api/v1/connections?everyone=true", { headers: { Cookie: cookie } });
  expect(await listed.json()).toMatchObject({
    items: [{ connector: row.of, revokesAtProvider: row.revokesAtProvider }],
  });

  const { connectionId, person, app } = record;
  const path = `/api/v1/connections/${connectionId}?${new URLSearchParams({ person, app })}`;
  const answer = await product.send(path, { method: "DELETE", headers: { Cookie: cookie } });
  expect(answer.status).toBe(204);
  await product.settled();

  expect(provider.lives(pair.refreshToken)).toBe(!row.isDead);
  const { auditLog, connections } = product.dependencies.stores;
  expect(await connections.connection(keyOf(record))).toBeUndefined();
  const { items } = await auditLog.query({ organizationId, type: "connection.revoked", user: person }, { limit: 9 });
  const details = { connectionId, connector: row.of, revokedAtProvider: row.revokedAtProvider };
  expect(items.map((item) => item.details)).toEqual(expect.arrayContaining([{ connectionId }, details]));
  for (const secret of Object.values(pair))
    expect(product.logs.join("\n") + JSON.stringify(items)).not.toContain(secret);
});

interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

async function connectedAt(name: string, pair: Pair): Promise<ConnectionRecord> {
  const made = connection({ organizationId, connector: name, app: "countersign" });
  const region = product.dependencies.configuration().configuration.oidcProvider?.region ?? "";
  const tokens = { ...pair, clientID: "countersign", tokenURL: `${provider.url}/token` };
  const sealed = await createVault([KEY], region, webCryptoRandom).seal(tokens, made);
  const record = { ...made, sealed };
  await product.dependencies.stores.connections.connect(record, connectionEvent(record));
  return record;
}

function connector(name: string, revocationURL?: string): OAuthConnectorConfiguration {
  return {
    ...{ name, type: "oauth", clientID: "countersign", clientSecret: "a secret", disablePKCE: false },
    ...{ clientAuthentication: "client_secret_basic", clientMetadata: false, refresh: { grace: 0, timeout: 2_000 } },
    endpoints: {
      ...{ kind: "static", authorizationURL: `${provider.url}/authorize`, tokenURL: `${provider.url}/token` },
      ...(revocationURL !== undefined && { revocationURL }),
    },
  };
}
