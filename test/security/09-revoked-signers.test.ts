import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withVerificationCache } from "../../infra/node/store-thread/verification-cache.ts";
import { revokeKeyPair } from "../../lib/api-clients/key-pairs.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { AuditLog } from "../../lib/stores/audit-log.ts";
import type { Signer } from "../behaviour/fixture.ts";
import { counted } from "../support/counted.ts";
import { type InProcess, startInProcess, type TestClient } from "../support/in-process.ts";
import { addedSigner, assertionNow, sendAssertion, signerOf } from "./in-process-client.ts";

describe("audit records of assertions that a revoked key signed", () => {
  const calls = { names: [] as string[] };
  let product: InProcess;
  let client: TestClient;
  let signer: Signer;
  let fingerprint: string | undefined;

  beforeEach(async () => {
    calls.names.length = 0;
    product = await startInProcess({ adapt: (dependencies) => counted(dependencies, calls) });
    client = await product.createClient();
    signer = await signerOf(client);
    const { record } = await product.dependencies.stores.apiClients.getForVerification(client.clientId);
    fingerprint = record?.keyPairs[0]?.fingerprint;
    await revoke(client.keyPairId);
  });
  afterEach(() => product.close());

  /** The product anew, which appends to its audit log like this, with a client whose key was revoked. */
  const restart = async (append: (auditLog: AuditLog) => AuditLog["append"]) => {
    await product.close();
    product = await startInProcess({
      adapt: (dependencies) => {
        const { auditLog, ...stores } = dependencies.stores;
        return { ...dependencies, stores: { ...stores, auditLog: { ...auditLog, append: append(auditLog) } } };
      },
    });
    client = await product.createClient();
    signer = await signerOf(client);
    await revoke(client.keyPairId);
  };
  const revoke = async (keyPairId: string) => {
    const { clientId, organizationId } = client;
    await revokeKeyPair(product.dependencies, { id: "operator:test", organizationId }, { clientId }, keyPairId);
  };
  const refuse = async (who: Signer, header: Readonly<Record<string, unknown>> = {}, source?: string) => {
    const { status, body } = await sendAssertion(product, await assertionNow(product, who, { header }), source);
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: "invalid_client", error_description: "invalid JWT signature" },
    });
    await product.settled();
  };
  const forger = async (): Promise<Signer> => ({ ...signer, key: (await signerOf(await product.createClient())).key });
  const records = async () => {
    const { organizationId } = client;
    product.clock.set(product.clock.now() + 1);
    await product.dependencies.refusals.flush();
    const { auditLog } = product.dependencies.stores;
    const { items } = await auditLog.query({ organizationId, type: "token.refused" }, { limit: 200 });
    return items;
  };
  const callsOf = (name: string) => calls.names.filter((called) => called === name).length;

  test("9. say which key pair it was, whether or not the assertion names it", async () => {
    await refuse(signer, { kid: fingerprint });
    await refuse(signer);
    const { clientId, organizationId, keyPairId } = client;
    const told = { organizationId, reason: "key pair revoked", details: { clientId, keyPairId } };
    expect(await records()).toMatchObject([{ ...told, count: 1 }, told]);
  });

  test("9. are not made of forged signatures, for which a bounded number of reads is made from one address", async () => {
    const forging = await forger();
    calls.names.length = 0;
    for (let i = 0; i < 100; i++) await refuse(forging, { kid: fingerprint });
    expect(callsOf("apiClients.get")).toBe(10);
    expect(callsOf("auditLog.append")).toBe(0);
    expect(await records()).toEqual([]);
  });

  test("9. are not kept from the log by forgeries from another address", async () => {
    const forging = await forger();
    for (let i = 0; i < 100; i++) await refuse(forging, { kid: fingerprint }, "198.51.100.7");
    await refuse(signer, { kid: fingerprint });
    expect(await records()).toHaveLength(1);
  });

  test("9. are bounded for the client, however many addresses copies come from", async () => {
    for (let i = 0; i < 100; i++) await refuse(signer, {}, `198.51.100.${i}`);
    expect(await records()).toMatchObject([{ count: 59 }, {}]);
  });

  test("9. without a name, a signature is tried on the three keys that were revoked last", async () => {
    for (let i = 0; i < 3; i++) {
      const added = await addedSigner(product, client);
      product.clock.set(product.clock.now() + 1000);
      await revoke(added.key.keyPairId);
    }
    calls.names.length = 0;
    await refuse(signer);
    expect(callsOf("signatures.verify")).toBe(3);
    expect(await records()).toEqual([]);
    await refuse(signer, { kid: fingerprint });
    expect(await records()).toHaveLength(1);
  });

  test("9. are the same where a cache still shows the key as active", async () => {
    await product.close();
    product = await startInProcess({ adapt: remembering });
    client = await product.createClient();
    signer = await signerOf(client);
    expect((await sendAssertion(product, await assertionNow(product, signer))).status).toBe(200);
    await revoke(client.keyPairId);
    await refuse(signer);
    const { clientId, keyPairId } = client;
    expect(await records()).toMatchObject([{ reason: "key pair revoked", details: { clientId, keyPairId } }]);
  });

  test("9. are made behind the answer, which does not wait for them", async () => {
    const released = Promise.withResolvers<void>();
    await restart((auditLog) => async (event) => {
      await released.promise;
      return auditLog.append(event);
    });
    const answer = await sendAssertion(product, await assertionNow(product, signer));
    expect(answer.status).toBe(400);
    expect(await records()).toEqual([]);
    released.resolve();
    await product.settled();
    expect(await records()).toHaveLength(1);
  });

  test("9. that cannot be written change no answer", async () => {
    await restart(() => () => Promise.reject(new Error("the log is full")));
    await refuse(signer);
    expect(product.logs.join("")).toContain("background work failed");
  });
});

/** A cache that is told of no change. */
function remembering(dependencies: Dependencies): Dependencies {
  const { stores } = dependencies;
  const { getForVerification } = withVerificationCache(stores.apiClients, dependencies.clock);
  return { ...dependencies, stores: { ...stores, apiClients: { ...stores.apiClients, getForVerification } } };
}
