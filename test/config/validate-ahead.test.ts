import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../infra/node/commands/validate.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-validate-"));
});
afterAll(() => rm(folder, { recursive: true }));

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Every place of a secret that nothing is compared with; the last app exchanges tokens as the client `gateway`. */
const DOCUMENT = `version: 1
http: {publicURL: "https://gw.example"}
store: {path: "{{ env.STORE }}"}
telemetry: {metrics: {readers: [{periodic: {exporter: {otlp: {endpoint: "https://otel.example/v1/metrics", headers: {authorization: <otel.token>}}}}}]}}
console: {enabled: true, setupToken: <console.token>}
caches: [{name: shared, type: redis, redis: {password: <redis.password>}}]
connectors: [{name: corp, type: oidc, oauthClientID: a, oauthClientSecret: <corp.secret>, oidcWellKnownURL: "https://corp.example/.well-known/openid-configuration"}]
oidcProvider: {region: us, keySecret: <own.keys>, apiClients: {idSecret: <own.ids>}}
mcpProvider:
  enabled: true
  stateSecret: <own.state>
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers: [{wellKnownEndpoint: "https://as.example/x", tokenValidation: {method: introspection, expectedAudiences: ["https://gw.example/mcp"], introspection: {clientID: gw, clientSecret: <as.secret>, timeout: 2s}}}]
apps:
  - {name: gateway, type: oidc, clientID: gateway, credentials: {secrets: [<own.client>]}, grantTypes: ["${EXCHANGE}"], allowedAudiences: [ledger], tokenExchange: {subjectAudiences: ["https://gw.example/mcp"]}}
  - name: ledger
    type: mcpProxy
    upstream: {stream: {url: "https://ledger.example/mcp"}, headers: {X-Key: "Key <ledger.key>"}}
    authorization: {inbound: {cel: 'true'}, outbound: {type: tokenExchange, tokenExchange: {idp: oidcProvider, audience: ledger}}}
`;

async function validate(text: string) {
  const file = join(folder, "countersign.yaml");
  await writeFile(file, text);
  const written = { stdout: "", stderr: "" };
  const stdout = (more: string) => (written.stdout += more);
  const stderr = (more: string) => (written.stderr += more);
  const end = { code: await run(["-config", file], { stdout, stderr, environment: {}, columns: undefined }) };
  return { ...end, ...written, stderr: written.stderr.replaceAll(`${folder}/`, "") };
}

const refusal = (text: string) =>
  validate(text).then(String, (error: Error) => error.message.replaceAll(`${folder}/`, ""));

describe("countersign validate, before secrets are there", () => {
  test("accepts what will start, and names what is filled then", async () => {
    const { code, stderr } = await validate(DOCUMENT);
    expect(code).toBe(0);
    expect(stderr).toMatch(/: valid[^;]*; filled at start: env\.STORE, <otel\.token>, .*<ledger\.key>\n$/);
  });

  test.each([
    [
      "an endpoint at the path of another",
      "path: /mcp",
      "path: /status",
      /^countersign\.yaml:12:46: mcpProvider\.transports\.stream\.path: \/status belongs to health\.location/,
    ],
    [
      "an audience that is not the gateway's",
      '/mcp"], intro',
      '/mpc"], intro',
      /^countersign\.yaml:17:\d+: \S+expectedAudiences: names neither the MCP URL/,
    ],
    [
      "a client that the gateway is not",
      "idp: oidcProvider,",
      "idp: oidcProvider, clientID: gatway,",
      /^countersign\.yaml:23:\d+: apps\[1\]\.\S+\.clientID: names no oidc app/,
    ],
    [
      "an upstream that is the gateway itself",
      "https://ledger.example/mcp",
      "https://gw.example/mcp",
      /^countersign\.yaml:22:\d+: apps\[1\]\.upstream\.stream\.url: is this gateway's own endpoint/,
    ],
  ])("refuses %s with its place", async (_, from, to, message) => {
    expect(await refusal(DOCUMENT.replace(from, to))).toMatch(message);
  });

  test("says where something else is filled, on which more depends than can be checked", async () => {
    const { code, stderr } = await validate(DOCUMENT.replace('"https://gw.example"', '"{{ env.URL }}"'));
    expect(code).toBe(0);
    expect(stderr).toMatch(/: valid[^;]*; filled, and what depends on them checked, at start: env\.URL, /);
  });
});
