import fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { compile, compiled } from "./support.ts";

const KEYS =
  "version health heartbeat interval http address publicURL hosts default tls certFile keyFile minVersion clientAuth clientCAFiles telemetry metrics readers periodic traces processors simple batch maxQueueSize maxExportBatchSize exporter otlp endpoint headers connectors clientAuthentication privateKey mcpProvider enabled transports stream path session oidcProvider region discovery issuer endpoints jwks publicKey algorithm authorization oauth servers tokenValidation expectedAudiences method introspection timeout apps type name openapi spec uri data inbound tools scopes console setupToken connectors tls upstream headers auth transport sse url cel opa rego rules stepUp outbound tokenExchange idp include overrides credentials secrets jwks public policies idps registration constructor toString".split(
    " ",
  );
const SCALARS =
  "a /x 1h 0s 1.2 RequireAndVerifyClientCert private_key_jwt https://a.example introspection mcpBridge mcpProxy oidc proxy tokenExchange us ES256 <a.b> /(/ {}".split(
    " ",
  );

const { document, value: anyValue } = fc.letrec<{ document: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 7 },
    fc.constantFrom<unknown>(...SCALARS, "{{ env.A }}", "{{ user.sub }}", null, true, false, 0, -1, 1.5),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("document"),
  ),
  document: fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 6 }),
}));

test("37. any document ends in an artifact or in mistakes with places", async () => {
  await fc.assert(
    fc.asyncProperty(document, async (value) => {
      const result = await compile(JSON.stringify(value));
      if ("artifact" in result) return;
      expect(result.errors.length).toBeGreaterThan(0);
      for (const { line, column, message } of result.errors) {
        expect(line).toBe(1);
        expect(column).toBeGreaterThan(0);
        expect(message).not.toBe("");
      }
    }),
    { numRuns: 500 },
  );
});

test.each(["!".repeat(8_000), "-".repeat(8_000), "1+".repeat(4_000)])(
  "37. an expression that uses up the stack is a mistake",
  async (prefix) => {
    const cel = JSON.stringify(`${prefix}1`);
    const app = `{name: a, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}, authorization: {inbound: {cel: ${cel}}}}`;
    const result = await compile(`version: "1"\napps:\n  - ${app}\n`);
    expect(result).toMatchObject({ errors: [{ path: "apps[0].authorization.inbound.cel" }] });
  },
);

const app = fc.record(
  {
    type: fc.constantFrom("oidc", "mcpBridge", "mcpProxy", "proxy"),
    name: fc.constantFrom("a", "b"),
    clientID: anyValue,
    credentials: anyValue,
    openapi: fc.record(
      { spec: fc.constant({ uri: "https://a.example/o" }), include: anyValue },
      { requiredKeys: ["spec"] },
    ),
    upstream: fc.record({ headers: anyValue, auth: anyValue, tls: anyValue, stream: anyValue }, { requiredKeys: [] }),
    authorization: fc.record(
      {
        inbound: fc.record({ cel: anyValue, opa: anyValue, rules: anyValue, tools: anyValue }, { requiredKeys: [] }),
        outbound: fc.record({ type: anyValue, tokenExchange: anyValue }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    policies: anyValue,
  },
  { requiredKeys: ["type", "name"] },
);

test("37. any app is served, left out or refused", async () => {
  const sources = { environment: { A: "x" }, secrets: { get: async () => "x" }, runtime: "node" } as const;
  await fc.assert(
    fc.asyncProperty(fc.array(app, { maxLength: 3 }), async (apps) => {
      const result = await compile(JSON.stringify({ version: 1, apps }));
      if ("errors" in result) {
        expect(result.errors.length).toBeGreaterThan(0);
        return;
      }
      await resolveConfiguration(result.artifact, sources).catch((error) => {
        expect(error).toBeInstanceOf(ConfigurationError);
      });
    }),
    { numRuns: 500 },
  );
});

const FILLED = `version: "{{ env.A }}"
http: {publicURL: "{{ env.A }}", address: "{{ env.A }}", accessLog: {disabled: "{{ env.A }}"}}
health: {location: "{{ env.A }}"}
session: {lifetime: {idleTimeout: "{{ env.A }}"}}
oidcProvider:
  region: "{{ env.B }}"
  discovery: {issuer: "{{ env.B }}", endpoints: {token: "{{ env.B }}"}}
  jwks: [{algorithm: ES256, publicKey: "{{ env.B }}"}]
mcpProvider:
  enabled: "{{ env.A }}"
  transports: {stream: {enabled: true, path: "{{ env.B }}"}}
`;

test("37. any values of variables end in a configuration or in mistakes", async () => {
  const artifact = await compiled(FILLED);
  const value = fc.oneof(fc.string(), fc.constantFrom("https://a.example", "true", "/x", ":0", "us", "http://[", "1h"));
  await fc.assert(
    fc.asyncProperty(value, value, async (A, B) => {
      const resolving = resolveConfiguration(artifact, {
        environment: { A, B },
        secrets: { get: async () => "" },
        runtime: "node",
      });
      await resolving.catch((error) => expect(error).toBeInstanceOf(ConfigurationError));
    }),
    { numRuns: 500 },
  );
});

test("thousands of names that name nothing are counted", { timeout: 120_000 }, async () => {
  const count = 10_000;
  const repeat = (line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join("\n");
  const hosts = repeat((index) => `    - {name: h${index}.example, tls: host${index}}`);
  const entries = repeat((index) => `  entry${index}: {}`);
  const result = await compile(`version: 1\nhttp:\n  hosts:\n${hosts}\ntls:\n${entries}\n`);
  expect("errors" in result ? result.errors.at(-1)?.message : "").toBe(`and ${count - 100} more mistakes`);
});
