import { expect, test } from "vitest";
import { ISSUER, PROVIDER, startInProcess } from "../support/in-process.ts";

const OTHER = "https://id.example";
const WELL_KNOWN = `${OTHER}/.well-known/openid-configuration`;

test("a document that has two paths is one handler, which asks other servers once", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input));
    return Response.json({ issuer: OTHER, jwks_uri: `${OTHER}/jwks` });
  };
  const server = {
    wellKnownEndpoint: WELL_KNOWN,
    refreshInterval: 86_400_000,
    expectedAudiences: [`${ISSUER}/mcp`],
    method: "jwt",
    clockSkew: 0,
  } as const;
  const product = await startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "Gateway",
        stream: { path: "/mcp", resource: `${ISSUER}/mcp` },
        oauth: { enabled: true, metadataPath: "/.well-known/oauth-protected-resource", servers: [server] },
        allowedOrigins: [ISSUER],
        allowedHosts: ["us.example"],
      },
    },
    adapt: (dependencies) => ({ ...dependencies, fetch }),
  });
  for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
    expect(await (await product.send(path)).json()).toMatchObject({ authorization_servers: [OTHER] });
  }
  expect(asked).toEqual([WELL_KNOWN]);
  await product.close();
});

test("what a path does by one method is not what it does by another, however often it was asked for", async () => {
  const product = await startInProcess();
  const { pathname } = new URL(PROVIDER.endpoints.jwks);
  for (let time = 1; time <= 2; time++) {
    expect((await product.send(pathname)).status).toBe(200);
    expect((await product.send(pathname, { method: "POST" })).status).toBe(405);
    expect((await product.send(pathname, { method: "HEAD" })).status).toBe(200);
  }
  await product.close();
});
