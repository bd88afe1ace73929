import { describe, expect, test } from "vitest";
import { resolved, startMistakes } from "./support.ts";

function gateway(audiences: string, stream = "stream: {enabled: true, path: /mcp},"): string {
  const server = `{wellKnownEndpoint: "https://as.example/.well-known/openid-configuration", tokenValidation: {expectedAudiences: ${audiences}}}`;
  return `version: 1
http: {publicURL: "https://gw.example"}
mcpProvider:
  enabled: true
  transports: {${stream} sse: {enabled: true, basePath: /legacy, path: /sse, messagePath: /messages}}
  authorization: {oauth: {enabled: true, metadataPath: /resource, servers: [${server}]}}
`;
}

describe("what tokens for the legacy transport are meant for", () => {
  test.each([
    ['["https://gw.example/mcp", "https://gw.example/legacy/sse"]', "https://gw.example/legacy/sse"],
    ['["https://gw.example"]', "https://gw.example"],
  ])("is an audience of %s that fits its URL", async (audiences, resource) => {
    const { configuration, warnings } = await resolved(gateway(audiences));
    expect(configuration.mcpProvider?.sse?.resource).toBe(resource);
    expect(warnings).toEqual([]);
  });

  test("is that of the stream where none fits, and a warning says which clients mind", async () => {
    const { configuration, warnings } = await resolved(gateway('["https://gw.example/mcp"]'));
    expect(configuration.mcpProvider?.sse?.resource).toBe("https://gw.example/mcp");
    expect(warnings).toEqual([
      expect.objectContaining({
        path: "mcpProvider.transports.sse.path",
        message: expect.stringContaining("clients that compare the two will not connect"),
      }),
    ]);
  });

  test("has to be named where it is the only transport", async () => {
    expect(await startMistakes(gateway('["https://gw.example/mcp"]', ""))).toEqual([
      expect.stringContaining("accepted: a list with https://gw.example/legacy/sse"),
    ]);
  });
});
