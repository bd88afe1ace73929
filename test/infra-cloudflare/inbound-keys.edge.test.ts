import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestHarness } from "wrangler";
import { startAuthorizationServer, type TestAuthorizationServer } from "../gateway/authorization-server.ts";
import { type CompiledConfiguration, compiledConfiguration } from "./support/configuration.ts";
import { workerHarness } from "./support/harness.ts";

const PUBLIC_URL = "https://gw.example";
const RESOURCE = `${PUBLIC_URL}/mcp`;

let server: TestAuthorizationServer;
let configuration: CompiledConfiguration;
let harness: TestHarness;

beforeAll(async () => {
  server = await startAuthorizationServer();
  configuration = await compiledConfiguration(`version: "1"
http: {publicURL: "${PUBLIC_URL}"}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - {wellKnownEndpoint: "${server.wellKnown}", tokenValidation: {expectedAudiences: ["${RESOURCE}"]}}
`);
  harness = workerHarness({ region: "us", configuration: configuration.path, vars: {} });
  await harness.listen();
});
afterAll(async () => {
  await harness.close();
  await configuration.remove();
  await server.stop();
});

/** 405 when the token is good: PUT is not served, and only who comes in is told so. */
async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await harness.getWorker().fetch(RESOURCE, { method: "PUT", headers });
  await answer.body?.cancel();
  return answer.status;
}

const keysFetched = () => server.requests.filter(({ path }) => path === "/jwks").length;

// Requests of a Worker share no promise (D29): they wait for what another one brings without waiting for it itself.
test("a Worker learns a rotated key for 50 requests at once, fails none, and asks for the keys a few times at most", async () => {
  const parallel = async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, n) => server.sign({ aud: RESOURCE, jti: `${n}` })));
    return new Set(await Promise.all(tokens.map(statusOf)));
  };
  expect(await parallel()).toEqual(new Set([405]));
  for (let rotation = 1; rotation <= 3; rotation++) {
    const before = keysFetched();
    await server.rotate();
    expect(await parallel()).toEqual(new Set([405]));
    expect(keysFetched() - before).toBeGreaterThan(0);
    expect(keysFetched() - before).toBeLessThanOrEqual(5);
  }
});
