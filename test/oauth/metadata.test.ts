import * as mcp from "@modelcontextprotocol/client";
import * as mcpV1 from "@modelcontextprotocol/sdk/client/auth.js";
import { OAuthMetadataSchema, OpenIdProviderDiscoveryMetadataSchema } from "@modelcontextprotocol/sdk/shared/auth.js";
import * as oauth from "oauth4webapi";
import { customFetch, discovery } from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InProcess, ISSUER, PROVIDER, startInProcess } from "../support/in-process.ts";

describe("the metadata document in the hands of clients that nobody here wrote", () => {
  let product: InProcess;

  beforeAll(async () => {
    product = await startInProcess();
  });
  afterAll(() => product.close());

  const OAUTH = "/.well-known/oauth-authorization-server";
  const OPENID = "/.well-known/openid-configuration";

  test.each([OAUTH, OPENID, "/discovery"])("both documents are there when the configuration names %s", async (path) => {
    const endpoints = { ...PROVIDER.endpoints, wellKnown: ISSUER + path };
    const moved = await startInProcess({ configuration: { oidcProvider: { ...PROVIDER, endpoints } } });
    try {
      for (const at of [OAUTH, OPENID, path]) {
        const document = await (await moved.send(at)).json();
        expect(document).toMatchObject({ issuer: ISSUER });
        expect(Object.hasOwn(document as object, "subject_types_supported")).toBe(at !== OAUTH || path === OAUTH);
      }
    } finally {
      await moved.close();
    }
  });

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
      [customFetch]: fetchFn,
    });
    expect(found.serverMetadata().token_endpoint).toBe(`${ISSUER}/oauth2/token`);
  });

  const documentAt = async (path: string): Promise<unknown> => (await product.send(path)).json();
  /** A client that finds one of the documents only. */
  const onlyAt = (path: string) => async (input: string | URL) =>
    new URL(input).pathname === path ? fetchFn(input) : new Response(null, { status: 404 });

  test.each([OAUTH, OPENID])("the MCP SDK of both generations accepts what it finds at %s", async (path) => {
    const fetchOne = { fetchFn: onlyAt(path) };
    expect(await mcp.discoverAuthorizationServerMetadata(ISSUER, fetchOne)).toMatchObject({ issuer: ISSUER });
    expect(await mcpV1.discoverAuthorizationServerMetadata(ISSUER, fetchOne)).toMatchObject({ issuer: ISSUER });
  });

  test("the schemas of the MCP SDK accept each document under its own name", async () => {
    expect(OAuthMetadataSchema.parse(await documentAt(OAUTH))).toMatchObject({ issuer: ISSUER });
    expect(OAuthMetadataSchema.parse(await documentAt(OPENID))).toMatchObject({ issuer: ISSUER });
    expect(OpenIdProviderDiscoveryMetadataSchema.parse(await documentAt(OPENID))).toMatchObject({ issuer: ISSUER });
  });
});
