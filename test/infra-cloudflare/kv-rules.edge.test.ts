import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { auditEvent } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import {
  assertionOf,
  CONFIGURATION,
  clientWith,
  madeClientId,
  present,
  type SigningKey,
  signingKey,
  VARIABLES,
} from "./support/token-requests.ts";

/** The part of a KV namespace that these tests use. */
interface Cache {
  put(key: string, value: string): Promise<void>;
  get(key: string): Promise<string | null>;
  delete(key: string): Promise<void>;
}

const UNKNOWN = { status: 400, body: { error: "invalid_client", error_description: "invalid client" } };
const BAD_SIGNATURE = { status: 400, body: { error: "invalid_client", error_description: "invalid JWT signature" } };

describe("the token endpoint behind stale caches", () => {
  let it: OpenFaultyProduct;
  let key: SigningKey;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, VARIABLES);
  });
  beforeEach(async () => {
    key = await signingKey();
    await it.set();
  });
  afterAll(() => it.close());

  const cache = async (): Promise<Cache> => (await it.worker.getEnv()).CLIENTS;
  const cached = async ({ clientId }: Pick<ApiClientRecord, "clientId">) => (await cache()).get(keyOf(clientId));
  const create = async (client: ApiClientRecord, isolate = "owner") => {
    await it.stores(isolate).apiClients.create(client, eventOf(client));
    return client;
  };
  const tokenFor = async (client: Pick<ApiClientRecord, "clientId">, signedBy: SigningKey, isolate: string) => {
    const fetchToken = (path: string, init: RequestInit) => it.worker.fetch(path, init as never) as never;
    const { status, body } = await present(fetchToken, await assertionOf(client, signedBy), isolate);
    return { status, body };
  };
  /** Both isolates and KV know the client as it is now. */
  const warm = async (client: ApiClientRecord) => {
    for (const isolate of ["one", "two"]) expect((await tokenFor(client, key, isolate)).status).toBe(200);
    await eventually(
      () => cached(client),
      (entry) => entry !== null,
    );
  };
  /** KV as it is where a change has not arrived yet. */
  const withStaleCache = async (client: ApiClientRecord, change: () => Promise<unknown>) => {
    const before = await cached(client);
    await change();
    if (before === null) await (await cache()).delete(keyOf(client.clientId));
    else await (await cache()).put(keyOf(client.clientId), before);
  };

  test("7. an id that was made, probed everywhere and only then stored gets a token at once, in every isolate", async () => {
    const clientId = madeClientId();
    for (const isolate of ["one", "two"]) expect(await tokenFor({ clientId }, key, isolate)).toEqual(UNKNOWN);
    await eventually(
      () => cached({ clientId }),
      (entry) => entry === "null",
    );
    const client = clientWith([key], { clientId });
    await withStaleCache(client, () => create(client));
    for (const isolate of ["one", "two", "three"]) {
      expect((await tokenFor({ clientId }, key, isolate)).status).toBe(200);
    }
  });

  test("7. the first assertion of a new key brings a token although every cached record lacks it", async () => {
    const client = await create(clientWith([key]));
    await warm(client);
    const added = await signingKey();
    await withStaleCache(client, () => it.stores("owner").apiClients.addKeyPair(client, added.record, eventOf(client)));
    for (const isolate of ["one", "two", "three"]) {
      expect((await tokenFor(client, added, isolate)).status).toBe(200);
    }
  });

  test("8. a revoked key brings nothing, with caches warm, stale or filled again", async () => {
    const other = await signingKey();
    const client = await create(clientWith([key, other]));
    await warm(client);
    await withStaleCache(client, () =>
      it.stores("owner").apiClients.revokeKeyPair(client, key.record.keyPairId, Date.now(), eventOf(client)),
    );
    for (const isolate of ["one", "two", "three"]) {
      expect(await tokenFor(client, key, isolate)).toEqual(BAD_SIGNATURE);
      expect((await tokenFor(client, other, isolate)).status).toBe(200);
    }
  });

  test("8. a read that began before the revocation and fills the caches after it brings the revoked key nothing", async () => {
    const client = await create(clientWith([key]));
    await warm(client);
    const stale = (await cached(client)) ?? "";
    expect(stale).toContain(key.record.keyPairId);
    await (await cache()).delete(keyOf(client.clientId));
    await it.set({ binding: "REGISTRY", method: "verificationRecord", how: "late", times: 1 });
    const slow = tokenFor(client, key, "slow");
    await eventually(
      () => it.counted(),
      ({ calls }) => calls.includes("REGISTRY.verificationRecord"),
    );
    await it.stores("owner").apiClients.revokeKeyPair(client, key.record.keyPairId, Date.now(), eventOf(client));
    expect(await cached(client)).toBeNull();
    await it.set();
    expect(await slow).toEqual(BAD_SIGNATURE);
    await eventually(
      () => cached(client),
      (entry) => entry !== null,
    );
    // The late read and the one before a token is issued both write, and either may be the last.
    await (await cache()).put(keyOf(client.clientId), stale);
    for (const isolate of ["slow", "one", "two"]) expect(await tokenFor(client, key, isolate)).toEqual(BAD_SIGNATURE);
  });

  test("8. a deleted client gets nothing, with caches warm, stale or filled again", async () => {
    const client = await create(clientWith([key]));
    await warm(client);
    await withStaleCache(client, () =>
      it.stores("owner").apiClients.delete(client, { revokeTokens: false }, eventOf(client)),
    );
    for (const isolate of ["one", "two", "three"]) expect(await tokenFor(client, key, isolate)).toEqual(UNKNOWN);
    await (await cache()).delete(keyOf(client.clientId));
    for (const isolate of ["one", "two", "four"]) expect(await tokenFor(client, key, isolate)).toEqual(UNKNOWN);
  });

  test("a scope that was taken away is not granted by the next request, whatever the caches show", async () => {
    const client = await create(clientWith([key], { scopes: ["audit:read", "tools:read"] }));
    await warm(client);
    expect((await tokenFor(client, key, "one")).body).toMatchObject({ scope: "audit:read tools:read" });
    await withStaleCache(client, () =>
      it.stores("owner").apiClients.update(client, { scopes: ["tools:read"] }, Date.now(), eventOf(client)),
    );
    for (const isolate of ["one", "two", "three"]) {
      expect((await tokenFor(client, key, isolate)).body).toMatchObject({ scope: "tools:read" });
    }
  });

  test("an entry that another release wrote is no record, and what is there is read from the registry", async () => {
    const client = await create(clientWith([key]));
    const { grantRevision: _, ...former } = JSON.parse(JSON.stringify(client)) as ApiClientRecord;
    for (const entry of [former, { ...client, clientId: madeClientId() }, 1, "text", { schema: 9 }, []]) {
      await (await cache()).put(keyOf(client.clientId), JSON.stringify(entry));
      const read = await it
        .stores(`after ${JSON.stringify(entry).length}`)
        .apiClients.getForVerification(client.clientId);
      expect([read.authoritative, read.record?.grantRevision]).toEqual([true, 1]);
    }
    await (await cache()).put(keyOf(client.clientId), "{ not JSON");
    expect((await tokenFor(client, key, "another")).status).toBe(200);
  });
});

function keyOf(clientId: string): string {
  return `verification/2/${clientId}`;
}

function eventOf({ organizationId }: Pick<ApiClientRecord, "organizationId">) {
  return auditEvent({ organizationId });
}
