import { describe, expect, test } from "vitest";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import { tokenParameters } from "../behaviour/fixture.ts";
import { assertionNow, sendForm, signerOf } from "../security/in-process-client.ts";
import { PROVIDER } from "../support/in-process.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const OTHER = "org_other";
const OWN_SERVER = trusted(PROVIDER.endpoints.wellKnown, {
  method: "introspection",
  introspection: { clientID: "unused", clientSecret: "unused", timeout: 1_000, maxRetries: 0 },
});
const it = withGateway({ otherApps: [{ name: "theirs", organization: OTHER }] });
const ownServers = () => it.restart({ servers: [OWN_SERVER, trusted(it.server.wellKnown)] });

async function ownToken(organizationId: string): Promise<string> {
  const { dependencies } = it.gateway;
  const actor = { id: "operator:test", organizationId };
  const fields = { name: "agent", scopes: ["notes:read"], resources: [RESOURCE] };
  const { clientId } = await createApiClient(dependencies, actor, fields);
  const { keyPair, privateKeyPem = "" } = await addKeyPair(dependencies, actor, { clientId });
  const client = { clientId, organizationId, keyPairId: keyPair.keyPairId, privateKeyPem };
  const assertion = await assertionNow(it.gateway, await signerOf(client));
  const { body } = await sendForm(it.gateway, "/oauth2/token", tokenParameters(assertion, { resource: RESOURCE }));
  if (!isJsonObject(body) || typeof body.access_token !== "string")
    throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.access_token;
}

async function first(): Promise<string> {
  return (await it.gateway.dependencies.stores.directory.firstOrganization())?.organizationId ?? "none";
}

async function post(method: string, params: unknown, token: string): Promise<string> {
  const response = await it.gateway.send("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(response.status).toBe(200);
  return response.text();
}

const listed = async (token: string) => {
  const text = await post("tools/list", {}, token);
  return { ours: text.includes('"name":"getNote"'), theirs: text.includes('"name":"theirs_getNote"') };
};
const called = (name: string, token: string) => post("tools/call", { name, arguments: { noteId: "1" } }, token);
const UNKNOWN = "There is no tool of this name.";

describe("D32. the tools of another organization", () => {
  test("are neither listed nor callable for an agent of the first", async () => {
    await ownServers();
    const token = await ownToken(await first());
    expect(await listed(token)).toEqual({ ours: true, theirs: false });
    expect(await called("getNote", token)).toContain("Hello.");
    const before = it.upstream.requests.length;
    expect(await called("theirs_getNote", token)).toBe(await called("no_such", token));
    expect(await called("theirs_getNote", token)).toContain(UNKNOWN);
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("are its own agents' only tools", async () => {
    await ownServers();
    const token = await ownToken(OTHER);
    expect(await listed(token)).toEqual({ ours: false, theirs: true });
    expect(await called("theirs_getNote", token)).toContain("Hello.");
    expect(await called("getNote", token)).toContain(UNKNOWN);
    const { items } = await it.gateway.dependencies.stores.auditLog.query(
      { organizationId: OTHER, type: "tool.invoked" },
      { limit: 10 },
    );
    expect(items).toMatchObject([{ tool: "theirs_getNote", outcome: "success", details: { issuer: PROVIDER.issuer } }]);
  });

  test("do not show in a refusal for want of a scope", async () => {
    await it.restart({ inboundTools: [{ name: "getNote", scopes: ["notes:secret"] }] });
    const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read" });
    expect(await it.statusOf(token)).toBe(403);
    expect(await called("theirs_getNote", token)).toContain(UNKNOWN);
  });

  test("are out of reach for tokens of other issuers, whatever organization these name", async () => {
    const names = { organizationId: OTHER, organization: OTHER, org_id: OTHER };
    const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read", ...names });
    expect(await listed(token)).toEqual({ ours: true, theirs: false });
    expect(await called("getNote", token)).toContain("Hello.");
    expect(await called("theirs_getNote", token)).toContain(UNKNOWN);
  });
});
