import { describe, expect, test } from "vitest";
import { deleteApiClient } from "../../lib/api-clients/administration.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import { assertionParameters, type Signer, tokenParameters } from "../behaviour/fixture.ts";
import { CLIENT } from "../gateway/authorization-server.ts";
import { RESOURCE, trusted } from "../gateway/started.ts";
import { withGateway } from "../gateway/with-gateway.ts";
import { PROVIDER, type TestClient } from "../support/in-process.ts";
import { assertionNow, sendForm, signerOf } from "./in-process-client.ts";

const it = withGateway();
const introspection = { clientID: CLIENT.id, clientSecret: CLIENT.secret, timeout: 2_000, maxRetries: 0 };

/** An agent with a token of this instance, which the gateway trusts. */
async function started(): Promise<{ client: TestClient; signer: Signer; token: string }> {
  await it.restart({ servers: [trusted(PROVIDER.endpoints.wellKnown, { method: "introspection", introspection })] });
  const client = await it.gateway.createClient({ scopes: ["notes:read"], resources: [RESOURCE] });
  const signer = await signerOf(client);
  const form = tokenParameters(await assertionNow(it.gateway, signer), { resource: RESOURCE });
  const { body } = await sendForm(it.gateway, "/oauth2/token", form);
  if (!isJsonObject(body) || typeof body.access_token !== "string") throw new Error("no token");
  return { client, signer, token: body.access_token };
}

describe("40. a token of this instance opens nothing on the next call", () => {
  test("after its client has revoked it", async () => {
    const { signer, token } = await started();
    for (let n = 0; n < 3; n++) expect(await it.statusOf(token)).toBe(200);
    const form = { token, ...assertionParameters(await assertionNow(it.gateway, signer)) };
    expect((await sendForm(it.gateway, "/oauth2/revoke", form)).status).toBe(200);
    expect(await it.statusOf(token)).toBe(401);
  });

  test("after its client was deleted together with its tokens", async () => {
    const { client, token } = await started();
    expect(await it.statusOf(token)).toBe(200);
    const actor = { id: "operator:test", organizationId: client.organizationId };
    await deleteApiClient(it.gateway.dependencies, actor, { clientId: client.clientId }, { revokeTokens: true });
    expect(await it.statusOf(token)).toBe(401);
  });

  test("from the millisecond on at which it expires", async () => {
    const { token } = await started();
    expect(await it.statusOf(token)).toBe(200);
    const issuedAt = it.gateway.clock.now();
    const lifetime = PROVIDER.apiClients.accessTokenLifetime;
    it.gateway.clock.set(issuedAt + lifetime - 1_000);
    expect(await it.statusOf(token)).toBe(200);
    it.gateway.clock.set(issuedAt + lifetime);
    expect(await it.statusOf(token)).toBe(401);
  });
});

test("40. a token that its own server has revoked opens nothing five seconds later, and nothing was kept of it", async () => {
  await it.restart({ servers: [trusted(it.server.wellKnown, { method: "introspection", introspection })] });
  const token = await it.server.token(RESOURCE, "opaque");
  expect(await it.statusOf(token)).toBe(200);
  await it.server.revoke(token);
  it.gateway.clock.set(it.gateway.clock.now() + 5_000);
  expect(await it.statusOf(token)).toBe(401);
});
