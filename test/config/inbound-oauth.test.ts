import { describe, expect, test } from "vitest";
import { configurationOf, mistakes } from "./support.ts";

const document = (oauth: string) => `version: "1"
http: {publicURL: "https://gw.example"}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization: {oauth: {${oauth}}}
`;
const AUDIENCES = 'expectedAudiences: ["https://gw.example/mcp"]';
const server = (validation: string, more = "") =>
  `{wellKnownEndpoint: "https://as.example/x", tokenValidation: {${AUDIENCES}${validation}}${more}}`;
const enabled = (...servers: readonly string[]) =>
  document(`enabled: true, metadataPath: /m, servers: [${servers.join(", ")}]`);
const CLIENT = "clientID: a, clientSecret: b";

describe("OAuth for agents", () => {
  test("is off unless it is on, and needs neither a metadata path nor a server then", async () => {
    for (const oauth of ["", "enabled: false"]) {
      const { mcpProvider } = await configurationOf(document(oauth));
      expect(mcpProvider?.oauth).toMatchObject({ enabled: false, servers: [] });
    }
  });

  test("takes JWTs without tolerance by default, and refreshes what it knows of a server every day", async () => {
    const { mcpProvider } = await configurationOf(enabled(server("")));
    expect(mcpProvider?.oauth.servers).toEqual([
      {
        wellKnownEndpoint: "https://as.example/x",
        refreshInterval: 86_400_000,
        expectedAudiences: ["https://gw.example/mcp"],
        method: "jwt",
        clockSkew: 0,
      },
    ]);
  });

  test.each(["introspection", "auto"])("repeats a failed introspection twice by default with %s", async (method) => {
    const { mcpProvider } = await configurationOf(
      enabled(server(`, method: ${method}, introspection: {${CLIENT}, timeout: 5s}`)),
    );
    expect(mcpProvider?.oauth.servers[0]).toMatchObject({
      method,
      introspection: { clientID: "a", clientSecret: "b", timeout: 5_000, maxRetries: 2 },
    });
  });

  test("needs no client that introspects where tokens are JWTs", async () => {
    expect(await mistakes(enabled(server(""), server(", method: jwt, introspection: {}")))).toEqual([]);
  });

  test.each([
    ["the refresh interval", server("", ", refreshInterval: -1s"), "refreshInterval"],
    ["the clock skew", server(", jwt: {clockSkew: -1s}"), "clockSkew"],
    ["the timeout", server(`, method: auto, introspection: {${CLIENT}, timeout: -1s}`), "timeout"],
    ["retries", server(`, method: auto, introspection: {${CLIENT}, timeout: 1s, maxRetries: -1}`), "maxRetries"],
    [
      "parts of retries",
      server(`, method: auto, introspection: {${CLIENT}, timeout: 1s, maxRetries: 1.5}`),
      "maxRetries",
    ],
  ])("is a mistake with less than nothing of %s", async (_, one, key) => {
    const found = await mistakes(enabled(one));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${key}: `);
  });
});
