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
    const configuration = { apps: [APP], oauthConnectors: [CONNECTOR, named, document], vaultKeys: KEYS };
    instance = await startInProcess({ configuration });
  });
  afterAll(() => instance.close());

  test.each(["saas", "document"])("says by what name, and where people come back: %s", async (name) => {
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

  test.each(["named", "unknown", "__proto__"])("is not there for a connector that has none: %s", async (name) => {
    expect((await instance.send(`/connect/client-metadata/${name}`)).status).toBe(404);
  });

  test("is not there where no app needs it", async () => {
    const other = await startInProcess({ configuration: { oauthConnectors: [CONNECTOR] } });
    expect((await other.send("/connect/client-metadata/saas")).status).toBe(404);
    await other.close();
  });
});
