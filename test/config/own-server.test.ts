import { describe, expect, test } from "vitest";
import { warningsOf } from "./support.ts";

const document = (server: string, more = "") => `version: "1"
http: {publicURL: "https://gw.example"}
oidcProvider: {region: us${more}}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers: [{${server}}]
`;
const validation = (keys: string) => `tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]${keys}}`;
const client = "introspection: {clientID: a, clientSecret: b, timeout: 5s}";
const own = 'wellKnownEndpoint: "https://gw.example/.well-known/openid-configuration"';
const WARNING = expect.stringMatching(
  /^mcpProvider\.authorization\.oauth\.servers\[0\]\.tokenValidation\.method: .*jwt refuses its opaque tokens/,
);

describe("a gateway that trusts its own instance", () => {
  test.each([
    ["by default", own, validation("")],
    ["expressly", own, validation(", method: jwt")],
    [
      "at its other address",
      'wellKnownEndpoint: "https://gw.example/.well-known/oauth-authorization-server"',
      validation(""),
    ],
  ])("is warned when it takes JWTs alone %s", async (_, address, keys) => {
    expect(await warningsOf(document(`${address}, ${keys}`))).toEqual([WARNING]);
  });

  test("at an issuer or an address of its own is warned, too", async () => {
    const issuer = ', discovery: {issuer: "https://id.example"}';
    const moved = ', discovery: {endpoints: {wellKnown: "https://gw.example/discovery"}}';
    const at = (url: string) => `wellKnownEndpoint: "${url}", ${validation("")}`;
    const found = await warningsOf(document(at("https://id.example/.well-known/openid-configuration"), issuer));
    const other = "oidcProvider.discovery.issuer: this is not the origin of the public URL (http.publicURL): both must";
    expect(found).toEqual([expect.stringContaining(other), WARNING]);
    expect(await warningsOf(document(at("https://gw.example/discovery"), moved))).toEqual([WARNING]);
  });

  test.each(["https://gw.example", "https://gw.example/.well-known/openid-config/x"])(
    "at %s, which is not its discovery document, is told that nobody gets in",
    async (address) => {
      const server = `wellKnownEndpoint: "${address}", ${validation("")}`;
      expect(await warningsOf(document(server))).toEqual([
        expect.stringContaining("servers[0].wellKnownEndpoint: this address is on the instance itself"),
      ]);
    },
  );

  test.each(["introspection", "auto"])("with %s is not", async (method) => {
    expect(await warningsOf(document(`${own}, ${validation(`, method: ${method}, ${client}`)}`))).toEqual([]);
  });

  test("is not, when it is another server that issues JWTs", async () => {
    const other = 'wellKnownEndpoint: "https://as.example/.well-known/openid-configuration"';
    expect(await warningsOf(document(`${other}, ${validation("")}`))).toEqual([]);
  });
});
