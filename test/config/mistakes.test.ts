import { describe, expect, test } from "vitest";
import { mistakes } from "./support.ts";

const TEN = `version: ""
helth:
  location: /status
logger:
  level: loud
  jsonOutput: "yes"
http:
  address: nowhere
  tls: main
mcpProvider:
  enabled: true
  transports:
    stream:
      enabled: true
  authorization:
    oauth:
      metadataPath: no-slash
      servers:
        - wellKnownEndpoint: https://user:hunter2@as.example/
          tokenValidation:
            expectedAudiences: []
            jwt:
              clockSkew: 10
`;

describe("mistakes", () => {
  test("ten mistakes are reported at once, each with its place, what was found and what is accepted", async () => {
    expect(await mistakes(TEN)).toEqual([
      '1:10: version: found empty text; accepted: text or a number, for example "1"',
      '2:1: helth: unknown key; did you mean "health"?',
      '5:10: logger.level: found "loud"; accepted: debug, info, warn, error',
      '6:15: logger.jsonOutput: found "yes"; accepted: true or false',
      '8:12: http.address: found "nowhere"; accepted: host:port, for example 127.0.0.1:8080 or :8080, with a port from 0 to 65535',
      '9:8: http.tls: found "main", which is not the name of an entry of tls; there is none in this document',
      "14:7: mcpProvider.transports.stream.path: required when the stream transport is enabled; accepted: a path such as /mcp",
      '17:21: mcpProvider.authorization.oauth.metadataPath: found "no-slash"; accepted: a path that starts with / and holds letters, digits and . _ ~ - / only',
      "19:30: mcpProvider.authorization.oauth.servers[0].wellKnownEndpoint: found text; accepted: an absolute http or https URL without user name, password or fragment",
      "21:32: mcpProvider.authorization.oauth.servers[0].tokenValidation.expectedAudiences: found an empty list; accepted: at least one audience",
      "23:26: mcpProvider.authorization.oauth.servers[0].tokenValidation.jwt.clockSkew: found the number 10; accepted: a duration such as 250ms, 30s, 15m or 1h30m",
    ]);
  });

  test("a document that is no mapping is refused", async () => {
    expect(await mistakes("- a")).toEqual(["1:1: found a list; accepted: a mapping of keys"]);
    expect(await mistakes("hello")).toEqual(['1:1: found "hello"; accepted: a mapping of keys']);
  });

  test("the version is required", async () => {
    expect(await mistakes("logger: {}")).toEqual([
      '1:1: version: required and missing; accepted: text or a number, for example "1"',
    ]);
  });

  test("an empty section is the same as an absent one, an unknown empty key is not", async () => {
    expect(await mistakes("version: 1\nlogger:\nhttp:\napps:\n")).toEqual([]);
    expect(await mistakes("version: 1\nhtpp:\n")).toEqual(['2:1: htpp: unknown key; did you mean "http"?']);
  });

  test("only what the schema marks as secret is hidden, whatever a key sounds like", async () => {
    const text = `version: 1
oidcProvider: {region: us, apiClients: {accessToken: {lifetime: 0s}}}
mcpProvider: {enabled: true, authorization: {oauth: {servers: [{wellKnownEndpoint: "https://a.example", tokenValidation: {expectedAudiences: [a], method: magic, introspection: {tokenPrefix: 5, clientSecret: 1234}}}]}}}`;
    const found = await mistakes(text);
    expect(found.map((line) => line.replace(/; accepted.*/, "").replace(/.*\.(\w+: found)/, "$1"))).toEqual([
      'lifetime: found "0s"',
      'method: found "magic"',
      "tokenPrefix: found the number 5",
      "clientSecret: found a number",
    ]);
  });

  test.each([
    "console: {setupToken: hunter2}",
    "oidcProvider: {region: us, jwks: [{algorithm: ES256, publicKey: [hunter2]}]}",
    "apps: [{type: oidc, name: a, clientID: b, credentials: hunter2}]",
    "apps: [{type: oidc, name: a, clientID: b, credentials: {secrets: [[hunter2], 77]}}]",
  ])("%s is refused without its value", async (yaml) => {
    const found = await mistakes(`version: 1\n${yaml}`);
    expect(found.length).toBeGreaterThan(0);
    expect(found.join()).not.toMatch(/hunter2|77/);
  });

  test("a secret written into the document is never quoted", async () => {
    const found = await mistakes(
      'version: 1\nconsole:\n  enabled: true\n  setupToken: hunter2\noidcProvider:\n  region: us\n  apiClients: {idSecret: hunter2}\napps: [{type: oidc, name: a, clientID: "", credentials: {secrets: hunter2}}]',
    );
    expect(found).toHaveLength(4);
    expect(found.join()).not.toContain("hunter2");
  });

  test.each([
    ["apps[0].authorization.inbound.cel", bridge("authorization: {inbound: {cel: 'true'}}")],
    ["apps[0].authorization.inbound.opa", bridge("authorization: {inbound: {opa: {name: a}}}")],
    ["apps[0].authorization.inbound.rules", bridge("authorization: {inbound: {rules: []}}")],
    ["apps[0].authorization.inbound.stepUp", bridge("authorization: {inbound: {stepUp: []}}")],
    [
      "apps[0].authorization.outbound.tokenExchange",
      bridge("authorization: {outbound: {type: unprotected, tokenExchange: {}}}"),
    ],
    ["apps[0].upstream.auth", bridge("upstream: {auth: {}}")],
    ["apps[0].openapi.exclude", bridge("openapi: {spec: {uri: 'https://a.example/'}, exclude: [a]}")],
    [
      "mcpProvider.transports.sse.enabled",
      "mcpProvider: {enabled: true, transports: {sse: {enabled: true, path: /sse, messagePath: /m}}}",
    ],
    [
      "mcpProvider.transports.stream.session.enabled",
      "mcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp, session: {enabled: true}}}}",
    ],
    ["oidcProvider.registration.dynamic", "oidcProvider: {region: us, registration: {dynamic: true}}"],
  ])("%s is refused as not supported instead of being ignored", async (path, yaml) => {
    const found = await mistakes(`version: 1\n${yaml}`);
    expect(found.filter((line) => line.includes(`${path}: not supported by this version`))).toHaveLength(1);
  });

  test("outbound token exchange is refused", async () => {
    expect(await mistakes(`version: 1\n${bridge("authorization: {outbound: {type: tokenExchange}}")}`)).toEqual([
      expect.stringContaining('apps[0].authorization.outbound.type: found "tokenExchange"; accepted: unprotected'),
    ]);
  });

  test("an unknown app type lists the known ones", async () => {
    expect(await mistakes("version: 1\napps: [{name: a, type: mcpProxy}, {name: b, type: rest}, {name: c}]")).toEqual([
      expect.stringContaining(
        'apps[0].type: found "mcpProxy"; accepted: oidc, mcpBridge or proxy (mcpProxy is not supported',
      ),
      expect.stringContaining('apps[1].type: found "rest"; accepted: oidc, mcpBridge or proxy'),
      expect.stringContaining("apps[2].type: required and missing; accepted: oidc, mcpBridge or proxy"),
    ]);
  });
});

function bridge(extra: string): string {
  const openapi = extra.startsWith("openapi") ? "" : "openapi: {spec: {uri: 'https://a.example/'}}, ";
  return `apps: [{name: a, type: mcpBridge, ${openapi}${extra}}]`;
}
