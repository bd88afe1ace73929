import * as mcp from "@modelcontextprotocol/client";
import { OAuthMetadataSchema, OpenIdProviderDiscoveryMetadataSchema } from "@modelcontextprotocol/sdk/shared/auth.js";
import * as oauth from "oauth4webapi";
import { discovery } from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

describe("the metadata document in the hands of clients that nobody here wrote", () => {
  let product: InProcess;

  beforeAll(async () => {
    product = await startInProcess();
  });
  afterAll(() => product.close());

  const fetchFn = (input: string | URL | Request) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return product.send(url.pathname + url.search);
  };

  test("oauth4webapi accepts it, found by either algorithm", async () => {
    for (const algorithm of ["oidc", "oauth2"] as const) {
      const issuer = new URL(ISSUER);
      const response = await oauth.discoveryRequest(issuer, { algorithm, [oauth.customFetch]: fetchFn });
      expect(await oauth.processDiscoveryResponse(issuer, response)).toMatchObject({ issuer: ISSUER });
    }
  });

  test("openid-client accepts it", async () => {
    const found = await discovery(new URL(ISSUER), "client_x", undefined, undefined, {
      [oauth.customFetch as unknown as symbol]: fetchFn,
    } as Parameters<typeof discovery>[4]);
    expect(found.serverMetadata().token_endpoint).toBe(`${ISSUER}/oauth2/token`);
  });

  test("the MCP SDK of both generations accepts it", async () => {
    expect(await mcp.discoverAuthorizationServerMetadata(ISSUER, { fetchFn })).toMatchObject({ issuer: ISSUER });
    const document: unknown = await (await product.send("/.well-known/openid-configuration")).json();
    expect(OAuthMetadataSchema.parse(document)).toMatchObject({ issuer: ISSUER });
    expect(OpenIdProviderDiscoveryMetadataSchema.parse(document)).toMatchObject({ issuer: ISSUER });
  });
});
