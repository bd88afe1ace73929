import * as mcp from "@modelcontextprotocol/client";
import * as mcpV1 from "@modelcontextprotocol/sdk/client/auth.js";
import * as oauth from "oauth4webapi";
import { customFetch, dynamicClientRegistration } from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findClient } from "../../../lib/authorization-server/clients/find-client.ts";
import { ISSUER } from "../../support/in-process.ts";
import { type Started, startForClients } from "./started.ts";

const AGENT = {
  client_name: "Agent",
  redirect_uris: ["http://localhost:3118/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

describe("registration by clients that nobody here wrote", () => {
  let product: Started;
  beforeAll(async () => {
    product = await startForClients();
  });
  afterAll(() => product.close());

  const fetchFn = (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return product.send(url.pathname + url.search, init);
  };
  const expectKnown = async (clientId: string, method: string) => {
    const client = await findClient(clientId, product.dependencies);
    expect(client).toMatchObject({ kind: "registered", redirectURLs: AGENT.redirect_uris, authentication: { method } });
  };

  test.each([
    ["first", mcpV1],
    ["second", mcp],
  ] as const)("the MCP SDK of the %s generation finds the endpoint and registers", async (_, sdk) => {
    const metadata = await sdk.discoverAuthorizationServerMetadata(ISSUER, { fetchFn });
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
    if (metadata === undefined) throw new Error("no metadata");
    const information = await sdk.registerClient(ISSUER, { metadata, clientMetadata: AGENT, fetchFn });
    expect(information).toMatchObject(AGENT);
    await expectKnown(information.client_id, "none");
  });

  test("the MCP SDK tells why a redirect is refused", async () => {
    const metadata = await mcp.discoverAuthorizationServerMetadata(ISSUER, { fetchFn });
    if (metadata === undefined) throw new Error("no metadata");
    const clientMetadata = { ...AGENT, redirect_uris: ["http://agent.example/callback"] };
    await expect(mcp.registerClient(ISSUER, { metadata, clientMetadata, fetchFn })).rejects.toThrow("redirect_uris[0]");
  });

  test("oauth4webapi registers", async () => {
    const issuer = new URL(ISSUER);
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", [oauth.customFetch]: fetchFn });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const response = await oauth.dynamicClientRegistrationRequest(server, AGENT, { [oauth.customFetch]: fetchFn });
    const client = await oauth.processDynamicClientRegistrationResponse(response);
    await expectKnown(client.client_id, "none");
  });

  test("openid-client registers, and has the secret it asked for", async () => {
    const asked = { ...AGENT, token_endpoint_auth_method: "client_secret_post" };
    const configuration = await dynamicClientRegistration(new URL(ISSUER), asked, undefined, {
      [customFetch]: (url, options) => fetchFn(url, options as RequestInit),
    });
    const { client_id, client_secret } = configuration.clientMetadata();
    expect(client_secret).toBeTypeOf("string");
    await expectKnown(client_id, "secret");
  });
});
