import { expect, test, vi } from "vitest";
import { createHandler } from "../../infra/aws/handler.ts";
import { objectLog } from "../../infra/cloudflare/log.ts";
import { startingWhenAsked } from "../../infra/edge/starting.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { REDACTED } from "../../lib/logging/redaction.ts";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { compiled } from "../config/support.ts";
import { eventOf } from "../infra-aws/support/event.ts";
import { splitAnswer } from "../infra-aws/support/http-integration.ts";
import { invokeInProcess, provideAwslambda } from "../infra-aws/support/in-process-runtime.ts";

const YAML = `
version: "1"
http: {publicURL: "https://us.example"}
logger: {jsonOutput: true}
console: {enabled: true, setupToken: "{{ env.SETUP }}"}
oidcProvider:
  region: us
  apiClients: {idSecret: <provider.id-secret>}
telemetry:
  traces:
    processors:
      - simple: {exporter: {otlp: {endpoint: "https://collector.example/v1/traces", headers: {X-Key: "the collector's key", Authorization: "Bearer <collector.key>"}}}}
connectors:
  - {name: corp, type: oidc, oauthClientID: the-client-id, oauthClientSecret: the connector's secret, oidcWellKnownURL: "https://corp.example/x"}
apps:
  - {type: oidc, name: one, clientID: resource-server, credentials: {secrets: ["the first secret", <app.secret>]}}
`;
const ENVIRONMENT = {
  SETUP: "the token of the setup",
  CS_PROVIDER_ID_SECRET: "dGVzdC1zZWNyZXQtZm9yLWNsaWVudC1pZHMtMzJieXQ",
  CS_APP_SECRET: "the second secret",
  CS_COLLECTOR_KEY: "the third secret",
};

test("10. every value that the schema marks as secret is known, wherever it comes from, and no other", async () => {
  const known: string[] = [];
  await resolveConfiguration(await compiled(YAML), {
    environment: ENVIRONMENT,
    secrets: environmentSecrets(ENVIRONMENT)("env://CS_"),
    runtime: "node",
    onSecret: (text) => known.push(text),
  });
  expect(known.sort()).toEqual(
    [
      ...Object.values(ENVIRONMENT),
      ...["the collector's key", "the connector's secret", "the first secret", "Bearer the third secret"],
    ].sort(),
  );
});

test("10. on Lambda no entry has a secret of the configuration, of its provider or of the platform", async () => {
  provideAwslambda();
  const lines: string[] = [];
  const platform = {
    ORIGIN_SECRET: "the new secret of the origin,the old secret of the origin",
    AWS_SECRET_ACCESS_KEY: "a secret of nobody",
    AWS_SESSION_TOKEN: "a session of nobody",
  };
  const handler = await createHandler({
    artifact: await compiled(YAML),
    environment: {
      ...ENVIRONMENT,
      ...platform,
      SVC_SECRET_PROVIDER: "env://CS_",
      AWS_REGION: "us-east-2",
      AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:9",
      AWS_ACCESS_KEY_ID: "test",
      RECORDS_TABLE: "records",
      SESSIONS_TABLE: "sessions",
      AUDIT_TABLE: "audit",
    },
    write: (line) => lines.push(line),
  });
  const secrets = [...Object.values({ ...ENVIRONMENT, ...platform }), "the connector's secret", "the collector's key"]
    .flatMap((value) => value.split(","))
    .sort();
  for (const secret of secrets) {
    const headers = { "x-countersign-origin": "the old secret of the origin", "x-request-id": secret };
    await splitAnswer(invokeInProcess(handler)(eventOf({ path: `/nowhere/${encodeURIComponent(secret)}`, headers })));
  }
  const entries = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  expect(entries.map(({ path, clientRequestId }) => [path, clientRequestId])).toEqual(
    secrets.map(() => [`/nowhere/${REDACTED}`, REDACTED]),
  );
});

test("an instance that cannot start names itself in each entry, and no secret that it learnt", async () => {
  const lines: string[] = [];
  let now = 0;
  const clock = { now: () => now };
  const started = startingWhenAsked<string>({ clock, random: webCryptoRandom, write: (line) => lines.push(line) });
  const causes = ["the vault says a-secret-of-the-vault", "it still does: a-secret-of-the-vault", undefined];
  for (const cause of causes) {
    await started(async ({ soid, secrets }) => {
      secrets.add("a-secret-of-the-vault");
      if (cause !== undefined) throw new Error(cause);
      return soid;
    });
    now += 3_600_000;
  }
  const entries = lines.map((line) => JSON.parse(line));
  const soid = await started(() => Promise.reject(new Error("it has started")));
  expect(soid).toMatch(/^[0-9a-f-]{36}$/);
  expect(entries).toEqual(
    [
      { level: "error", msg: "the configuration cannot start", cause: `Error: the vault says ${REDACTED}` },
      { level: "error", msg: "the configuration cannot start", cause: `Error: it still does: ${REDACTED}` },
      { level: "info", msg: "the configuration starts now" },
    ].map((entry) => ({ time: expect.any(String), soid, ...entry })),
  );
});

test("each Durable Object is an instance of its own in the log", () => {
  const written = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const [one, other] = [objectLog("registry"), objectLog("token shard")];
  one.failures([{ kind: "event", cause: new Error("Bearer abcdefgh12345678 was lost") }]);
  one.failures([{ kind: "tombstone", cause: "gone" }]);
  other.failures([{ kind: "event", cause: "gone" }]);
  const entries = written.mock.calls.map(([line]) => JSON.parse(line));
  written.mockRestore();
  expect(entries).toMatchObject([
    { level: "error", object: "registry", kind: "event", cause: `Error: ${REDACTED} was lost` },
    { level: "error", object: "registry", kind: "tombstone", cause: "gone" },
    { level: "error", object: "token shard", kind: "event", cause: "gone" },
  ]);
  expect(entries[0].soid).toMatch(/^[0-9a-f-]{36}$/);
  expect([entries[1].soid === entries[0].soid, entries[2].soid === entries[0].soid]).toEqual([true, false]);
});
