import { afterEach, describe, expect, test } from "vitest";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { VerificationRead, VerificationRecord } from "../../lib/stores/api-clients.ts";
import type { Signer } from "../behaviour/fixture.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { addedSigner, assertionNow, sendAssertion, signerOf } from "./in-process-client.ts";

const ATTACKER = "198.51.100.7";
const CLIENT = "203.0.113.9";

describe("authoritative re-reads of API clients behind a cache", () => {
  let product: InProcess;
  let reads: Reads;

  const start = async () => {
    reads = { cached: 0, authoritative: 0, verifications: 0 };
    product = await startInProcess({ adapt: (dependencies) => withCache(dependencies, reads) });
  };
  afterEach(() => product.close());

  test("7. forged signatures from one address cause a bounded number of re-reads", async () => {
    await start();
    const forger = await forgerOf(product);
    for (let i = 0; i < 100; i++) {
      const answer = await sendAssertion(product, await assertionNow(product, forger), ATTACKER);
      expect(answer.body).toMatchObject({ error_description: "invalid JWT signature" });
    }
    expect(reads.authoritative).toBeLessThanOrEqual(10);
  });

  test("7. unknown kids cause no more than that either, and no signature is verified for them", async () => {
    await start();
    const signer = await signerOf(await product.createClient());
    for (let i = 0; i < 100; i++) {
      const assertion = await assertionNow(product, signer, { header: { kid: `unknown-${i}` } });
      const answer = await sendAssertion(product, assertion, ATTACKER);
      expect(answer.body).toMatchObject({ error_description: "invalid JWT signature" });
    }
    expect(reads.authoritative).toBeLessThanOrEqual(10);
    expect(reads.verifications).toBe(0);
  });

  test("7. a client that the cache misses is found by a re-read", async () => {
    reads = { cached: 0, authoritative: 0, verifications: 0 };
    product = await startInProcess({ adapt: (dependencies) => withCache(dependencies, reads, () => undefined) });
    const signer = await signerOf(await product.createClient());
    expect((await sendAssertion(product, await assertionNow(product, signer), CLIENT)).status).toBe(200);
    expect(reads).toEqual({ cached: 1, authoritative: 1, verifications: 1 });
  });

  test("7. re-reads that lead to a verified signature are not counted: a busy client may change its key", async () => {
    reads = { cached: 0, authoritative: 0, verifications: 0 };
    product = await startInProcess({ adapt: (dependencies) => withCache(dependencies, reads, () => undefined) });
    const signer = await signerOf(await product.createClient());
    for (let i = 0; i < 100; i++) {
      expect((await sendAssertion(product, await assertionNow(product, signer), CLIENT)).status).toBe(200);
    }
    const forger = { ...signer, key: (await signerOf(await product.createClient())).key };
    for (let i = 0; i < 100; i++) await sendAssertion(product, await assertionNow(product, forger), CLIENT);
    expect(reads.authoritative).toBe(100 + 10);
  });

  test("7. they do not use up the re-reads of the real client, whose new key works at once", async () => {
    await start();
    const client = await product.createClient();
    const real = await signerOf(client);
    const forger: Signer = { ...real, key: (await signerOf(await product.createClient())).key };
    expect((await sendAssertion(product, await assertionNow(product, real), CLIENT)).status).toBe(200);
    for (let i = 0; i < 100; i++) {
      await sendAssertion(product, await assertionNow(product, forger), ATTACKER);
    }
    const added = await addedSigner(product, client);
    expect((await sendAssertion(product, await assertionNow(product, added), CLIENT)).status).toBe(200);
  });

  test("7. invented client ids cause no read at all", async () => {
    await start();
    const signer = await signerOf(await product.createClient());
    const otherRegion = clientIds(webCryptoRandom.bytes(32)).create(webCryptoRandom);
    for (const clientId of [otherRegion, "client_x", "client_01234567-89ab-8def-8123-456789abcdef", ""]) {
      const answer = await sendAssertion(product, await assertionNow(product, { ...signer, clientId }), ATTACKER);
      expect(answer.body).toMatchObject({ error_description: "invalid client" });
    }
    expect(reads).toEqual({ cached: 0, authoritative: 0, verifications: 0 });
  });
});

async function forgerOf(product: InProcess): Promise<Signer> {
  const { clientId } = await product.createClient();
  return { clientId, key: (await signerOf(await product.createClient())).key };
}

interface Reads {
  cached: number;
  authoritative: number;
  verifications: number;
}

/** A cache that never learns of changes by itself, as a distant one may do for a while. */
function withCache(
  dependencies: Dependencies,
  reads: Reads,
  keep: (record: VerificationRecord | undefined) => VerificationRecord | undefined = (record) => record,
): Dependencies {
  const { apiClients } = dependencies.stores;
  const cache = new Map<string, VerificationRead>();
  const getForVerification: typeof apiClients.getForVerification = async (clientId, options) => {
    if (options?.authoritative === true) {
      reads.authoritative += 1;
      return apiClients.getForVerification(clientId, options);
    }
    reads.cached += 1;
    const { record } = cache.get(clientId) ?? (await apiClients.getForVerification(clientId));
    const read = { record: keep(record), authoritative: false };
    cache.set(clientId, read);
    return read;
  };
  const verify: typeof dependencies.signatures.verify = (...parameters) => {
    reads.verifications += 1;
    return dependencies.signatures.verify(...parameters);
  };
  return {
    ...dependencies,
    signatures: { verify },
    stores: { ...dependencies.stores, apiClients: { ...apiClients, getForVerification } },
  };
}
