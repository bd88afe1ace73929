import { afterEach, expect, test } from "vitest";
import { updateApiClient } from "../../lib/api-clients/administration.ts";
import { revokeKeyPair } from "../../lib/api-clients/key-pairs.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { ApiClientChange, VerificationRead } from "../../lib/stores/api-clients.ts";
import { type Answer, type Signer, tokenParameters } from "../behaviour/fixture.ts";
import { assertionNow, sendForm, signerOf } from "../security/in-process-client.ts";
import { type Calls, counted } from "../support/counted.ts";
import { eventually } from "../support/eventually.ts";
import { type InProcess, START, startInProcess, type TestClient } from "../support/in-process.ts";

let product: InProcess;
let calls: Calls;
afterEach(() => product.close());

/** The product behind a cache that never learns of changes by itself, and with whatever `disturb` adds below it. */
async function start(disturb: (dependencies: Dependencies) => Dependencies = (same) => same): Promise<void> {
  calls = { names: [] };
  product = await startInProcess({ adapt: (dependencies) => withCache(counted(disturb(dependencies), calls)) });
}

/** A client whose record is in the cache. */
async function cachedClient(fields: ApiClientChange): Promise<{ client: TestClient; signer: Signer }> {
  const client = await product.createClient(fields);
  const signer = await signerOf(client);
  expect((await ask(signer)).status).toBe(200);
  calls.names.length = 0;
  return { client, signer };
}

async function ask(signer: Signer, parameters: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return present(await assertionNow(product, signer), parameters);
}

function present(assertion: string, parameters: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return sendForm(product, "/oauth2/token", tokenParameters(assertion, parameters));
}

const change = ({ clientId, organizationId }: TestClient, fields: ApiClientChange) =>
  updateApiClient(product.dependencies, { id: "operator:test", organizationId }, { clientId }, fields);

const issues = () => calls.names.filter((name) => name === "tokens.issue").length;
const reads = () => calls.names.filter((name) => name === "apiClients.getForVerification").length;

test("8. a stale record grants nothing that was taken away: it is read once more and the token decided anew", async () => {
  await start();
  const { client, signer } = await cachedClient({ scopes: ["audit:read", "tools:read"] });
  await change(client, { scopes: ["tools:read"] });
  expect(await ask(signer)).toMatchObject({ status: 200, body: { scope: "tools:read" } });
  expect([issues(), reads()]).toEqual([2, 1]);
  expect(await ask(signer, { scope: "audit:read" })).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
});

test("8. an assertion that met a change is used up by its token, and not before", async () => {
  await start();
  const { client, signer } = await cachedClient({ scopes: ["audit:read"] });
  await change(client, { scopes: ["tools:read"] });
  const assertion = await assertionNow(product, signer);
  expect(await present(assertion, { scope: "audit:read" })).toMatchObject({ body: { error: "invalid_scope" } });
  expect((await present(assertion)).status).toBe(200);
  expect(await present(assertion)).toMatchObject({ body: { error_description: "replayed JWT" } });
});

test("what a stale record lacks is granted after one more read, which is given back", async () => {
  await start();
  const { client, signer } = await cachedClient({});
  await change(client, { scopes: ["audit:read"], resources: ["https://gateway.example/mcp"] });
  for (let i = 0; i < 50; i++) {
    expect(await ask(signer, { scope: "audit:read" })).toMatchObject({ status: 200, body: { scope: "audit:read" } });
  }
  expect((await ask(signer, { resource: "https://gateway.example/mcp" })).status).toBe(200);
});

test("7. asking for what was never granted causes a bounded number of re-reads", async () => {
  await start();
  const { signer } = await cachedClient({});
  for (let i = 0; i < 50; i++) {
    expect(await ask(signer, { scope: "audit:read" })).toMatchObject({ body: { error: "invalid_scope" } });
  }
  expect(reads()).toBeLessThanOrEqual(10);
});

test("8. a key that was revoked before the record is read again brings no token", async () => {
  let beforeRereading: () => Promise<unknown> = async () => undefined;
  await start((dependencies) => {
    const { apiClients } = dependencies.stores;
    const getForVerification: typeof apiClients.getForVerification = async (clientId, options) => {
      if (options?.authoritative) await beforeRereading();
      return apiClients.getForVerification(clientId, options);
    };
    return { ...dependencies, stores: { ...dependencies.stores, apiClients: { ...apiClients, getForVerification } } };
  });
  const { client, signer } = await cachedClient({ scopes: ["audit:read"] });
  await change(client, { scopes: [] });
  const { clientId, organizationId, keyPairId } = client;
  const actor = { id: "operator:test", organizationId };
  beforeRereading = () => revokeKeyPair(product.dependencies, actor, { clientId }, keyPairId);
  expect(await ask(signer)).toMatchObject({ status: 400, body: { error_description: "invalid JWT signature" } });
  expect(issues()).toBe(1);
});

test("grants that change with every decision end in a clear refusal, and the assertion is good afterwards", async () => {
  let beforeIssuing: () => Promise<unknown> = async () => undefined;
  await start((dependencies) => {
    const { tokens } = dependencies.stores;
    const issue: typeof tokens.issue = async (request) => {
      await beforeIssuing();
      return tokens.issue(request);
    };
    return { ...dependencies, stores: { ...dependencies.stores, tokens: { ...tokens, issue } } };
  });
  const { client, signer } = await cachedClient({ scopes: ["audit:read"] });
  let changes = 0;
  beforeIssuing = () => change(client, { scopes: [`scope:${changes++}`] });
  const assertion = await assertionNow(product, signer);
  expect(await present(assertion)).toMatchObject({
    status: 400,
    body: {
      error: "invalid_scope",
      error_description: "what the client is granted keeps changing; repeat the request",
    },
  });
  expect(issues()).toBe(5);
  beforeIssuing = async () => undefined;
  expect((await present(assertion)).status).toBe(200);
});

test("a key pair's use is written once an hour, however many tokens there are", async () => {
  calls = { names: [] };
  product = await startInProcess({ adapt: (dependencies) => counted(dependencies, calls) });
  const signer = await signerOf(await product.createClient());
  const uses = () => calls.names.filter((name) => name === "apiClients.recordUse").length;
  const kept = (hour: number) =>
    eventually(
      () => product.dependencies.stores.apiClients.getForVerification(signer.clientId),
      ({ record }) => record?.keyPairs[0]?.lastUsedAt === hour,
    );
  expect((await ask(signer)).status).toBe(200);
  await kept(START);
  for (let i = 0; i < 5; i++) expect((await ask(signer)).status).toBe(200);
  product.clock.set(START + 60 * 60_000 - 1);
  expect((await ask(signer)).status).toBe(200);
  expect(uses()).toBe(1);
  product.clock.set(START + 60 * 60_000);
  expect((await ask(signer)).status).toBe(200);
  await kept(START + 60 * 60_000);
  expect(uses()).toBe(2);
});

/** Answers from the first read of each client. */
function withCache(dependencies: Dependencies): Dependencies {
  const { apiClients } = dependencies.stores;
  const cache = new Map<string, VerificationRead>();
  const getForVerification: typeof apiClients.getForVerification = async (clientId, options) => {
    if (options?.authoritative) return apiClients.getForVerification(clientId, options);
    const read = cache.get(clientId) ?? { ...(await apiClients.getForVerification(clientId)), authoritative: false };
    cache.set(clientId, read);
    return read;
  };
  return { ...dependencies, stores: { ...dependencies.stores, apiClients: { ...apiClients, getForVerification } } };
}
