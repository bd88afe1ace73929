import { describe, expect, test } from "vitest";
import { configurationOf, startMistakes } from "./support.ts";

/** A gateway as files of comparable products describe one: without `http.publicURL`. */
const gateway = (oauth: string, http = "") => `version: 1
${http}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization: {oauth: {${oauth}}}
`;
const servers = (...audiences: readonly string[]) =>
  `enabled: true, metadataPath: /m, servers: [${audiences
    .map((list) => `{wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: [${list}]}}`)
    .join(", ")}]`;

describe("a gateway without a public URL", () => {
  test.each([
    ["https://gw.example/", "https://gw.example/"],
    ["https://gw.example/mcp, https://gw.example", "https://gw.example/mcp"],
    ["api, https://gw.example", "https://gw.example"],
  ])("is where its tokens are meant for: %s", async (audiences, resource) => {
    const { publicURL, mcpProvider } = await configurationOf(gateway(servers(audiences)));
    expect(publicURL).toBe("https://gw.example");
    expect(mcpProvider).toMatchObject({
      stream: { resource },
      allowedHosts: ["gw.example"],
      allowedOrigins: ["https://gw.example"],
    });
  });

  test("looks at what every server expects", async () => {
    const text = gateway(servers("https://a.example, https://gw.example/", "https://gw.example/, https://b.example"));
    expect((await configurationOf(text)).publicURL).toBe("https://gw.example");
  });

  test.each([
    ["audiences of two origins", servers("https://a.example, https://b.example")],
    ["no URL among them", servers("api")],
    ["none that all servers expect", servers("https://a.example", "https://b.example")],
  ])("is where it listens when there are %s, and tokens have to be meant for that", async (_, oauth) => {
    const found = await startMistakes(gateway(oauth));
    expect(found[0]).toContain("accepted: a list with http://127.0.0.1:8080/mcp");
  });

  test("is where it listens when it asks for no tokens", async () => {
    const { publicURL } = await configurationOf(gateway(servers("https://gw.example").replace("true", "false")));
    expect(publicURL).toBe("http://127.0.0.1:8080");
  });

  test("has the one that is written when one is", async () => {
    const text = gateway(servers("https://gw.example"), 'http: {publicURL: "https://other.example"}');
    expect(await startMistakes(text)).toEqual([expect.stringContaining("a list with https://other.example/mcp")]);
  });
});

describe("a provider without a region", () => {
  const provider = `version: 1
http: {publicURL: "https://as.example"}
oidcProvider: {apiClients: {idSecret: ${"A".repeat(43)}}}
`;

  test("is local on Node", async () => {
    expect((await configurationOf(provider)).oidcProvider?.region).toBe("local");
  });

  test.each(["workers", "lambda"] as const)("is refused on %s", async (runtime) => {
    expect(await startMistakes(provider, { runtime })).toEqual([
      expect.stringContaining("oidcProvider.region: required on Workers and Lambda"),
    ]);
  });
});
