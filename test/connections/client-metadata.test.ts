import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { McpProxyAppConfiguration } from "../../lib/config/app-configuration.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";
import { CONNECTOR, KEYS, MCP } from "./world.ts";

const APP: McpProxyAppConfiguration = {
  type: "mcpProxy",
  name: "saas",
  namespace: "saas_",
  transport: "stream",
  url: MCP,
  timeout: 1_000,
  concurrency: 1,
  shareable: false,
  inboundTools: [],
  stepUp: [],
  outbound: { type: "userToken", connector: "saas", scopes: [], tools: [], perAgent: false },
};

describe("the document that is this service's client id", () => {
  let instance: InProcess;
  beforeAll(async () => {
    const named = { ...CONNECTOR, name: "named", clientID: "countersign" };
    const written = {
      kind: "static",
      authorizationURL: "https://a.example/a",
      tokenURL: "https://a.example/t",
    } as const;
    const document = { ...CONNECTOR, name: "document", endpoints: written, clientMetadata: true };
    const signed = { ...document, name: "signed", clientAuthentication: "private_key_jwt" } as const;
    const open = { ...CONNECTOR, name: "open", clientAuthentication: "none" } as const;
    const oauthConnectors = [CONNECTOR, named, document, signed, open];
    const configuration = { apps: [APP], oauthConnectors, vaultKeys: KEYS };
    instance = await startInProcess({ configuration });
  });
  afterAll(() => instance.close());

  const documentOf = async (name: string) => (await instance.send(`/connect/client-metadata/${name}`)).json();

  test.each(["document", "open"])("says by what name, and where people come back: %s", async (name) => {
    const response = await instance.send(`/connect/client-metadata/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      client_id: `${ISSUER}/connect/client-metadata/${name}`,
      client_name: "Countersign",
      client_uri: ISSUER,
      redirect_uris: [`${ISSUER}/connect/callback/${name}`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  test("says with which keys it signs, of which nobody learns the private half", async () => {
    expect(await documentOf("signed")).toMatchObject({
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks_uri: `${ISSUER}/connect/client-keys/signed`,
    });
    const { keys } = (await (await instance.send("/connect/client-keys/signed")).json()) as { keys: object[] };
    expect(keys).toHaveLength(KEYS.length);
    const members = { kty: "EC", crv: "P-256", alg: "ES256", use: "sig" };
    const texts = { x: expect.any(String), y: expect.any(String), kid: expect.any(String) };
    for (const key of keys) expect(key).toEqual({ ...members, ...texts });
  });

  test("is not told, and so not kept by anybody, while the provider cannot be found", async () => {
    const response = await instance.send("/connect/client-metadata/saas");
    expect([response.status, response.headers.get("cache-control")]).toEqual([503, "no-store"]);
  });

  test.each(["named", "unknown", "__proto__"])("is not there for a connector that has none: %s", async (name) => {
    expect((await instance.send(`/connect/client-metadata/${name}`)).status).toBe(404);
    expect((await instance.send(`/connect/client-keys/${name}`)).status).toBe(404);
  });

  test("is not there where no app needs it", async () => {
    const other = await startInProcess({ configuration: { oauthConnectors: [CONNECTOR] } });
    expect((await other.send("/connect/client-metadata/saas")).status).toBe(404);
    await other.close();
  });
});
