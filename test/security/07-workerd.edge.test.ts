import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientIds } from "../../lib/api-clients/client-id.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import {
  addKey,
  answerOf,
  createSigner,
  manage,
  type Owner,
  postForm,
  type Signer,
  setUpOwner,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../behaviour/fixture.ts";
import { compiledConfiguration } from "../infra-cloudflare/support/configuration.ts";
import { workerHarness } from "../infra-cloudflare/support/harness.ts";
import { workerVariables } from "../runtimes/workerd.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningRegion } from "../support/runtime.ts";
import { refusal } from "./context.ts";

/** Reads that one address may cause at once, and as many more each second. */
const BUDGET = { capacity: 10, perSecond: 1 };
const ATTEMPTS = 60;

describe("reads of the registry behind the caches of workerd", () => {
  let region: RunningRegion;
  let owner: Owner;
  let cache: KeyValues;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const configuration = await compiledConfiguration(behaviourConfiguration);
    const variables = { UPSTREAM_URL: "http://127.0.0.1:9" };
    const harness = workerHarness({
      region: "us",
      main: "test/support/stores-worker/counting-worker.ts",
      configuration: configuration.path,
      vars: workerVariables("us", PUBLIC_URL, { configuration: "", variables }),
    });
    const { url } = await harness.listen();
    region = { region: "us", url: url.origin, logs: () => [] };
    cache = (await harness.getWorker<{ CLIENTS: KeyValues }>().getEnv()).CLIENTS;
    owner = await setUpOwner(region);
    stop = async () => {
      await harness.close();
      await configuration.remove();
    };
  });
  afterAll(() => stop());

  const reads = async () => (await (await fetch(`${region.url}/verification-reads`)).json()) as number;
  const readsFor = async (work: () => Promise<unknown>) => {
    const before = await reads();
    await work();
    return (await reads()) - before;
  };
  const allowedSince = (start: number) => BUDGET.capacity + Math.ceil(((Date.now() - start) / 1000) * BUDGET.perSecond);
  const ask = async (signer: Signer, source: string, header = {}) => {
    const form = tokenParameters(await signAssertion(signer, { url: PUBLIC_URL }, { header }));
    return answerOf(postForm(tokenEndpointOf(region), form, { "CF-Connecting-IP": source }));
  };
  const forgerOf = async (signer: Signer) => ({ ...signer, key: (await createSigner(owner)).key });

  test("7. forged signatures and unknown kids from one address cause a bounded number of reads", async () => {
    const signer = await createSigner(owner);
    const forger = await forgerOf(signer);
    const start = Date.now();
    const caused = await readsFor(async () => {
      for (let i = 0; i < ATTEMPTS; i++) {
        const header = i % 2 === 0 ? {} : { kid: `unknown-${i}` };
        expect(await ask(forger, "198.51.100.1", header)).toMatchObject(refusal("invalid JWT signature"));
      }
    });
    expect(caused).toBeGreaterThan(1);
    expect(caused).toBeLessThanOrEqual(1 + allowedSince(start));
  });

  test("7. they do not use up the reads of the real client, whose new key works at once", async () => {
    const signer = await createSigner(owner);
    const forger = await forgerOf(signer);
    expect((await ask(signer, "203.0.113.2")).status).toBe(200);
    for (let i = 0; i < ATTEMPTS; i++) await ask(forger, "198.51.100.2");
    const stale = await eventually(
      () => cache.get(keyOf(signer)),
      (kept) => kept !== null,
    );
    const added = { ...signer, key: await addKey(owner, signer.clientId) };
    await cache.put(keyOf(signer), stale ?? "");
    expect((await ask(added, "203.0.113.2")).status).toBe(200);
  });

  test("7. a busy client is read from the registry once", async () => {
    const signer = await createSigner(owner);
    const caused = await readsFor(async () => {
      for (let i = 0; i < 20; i++) expect((await ask(signer, "203.0.113.3")).status).toBe(200);
    });
    expect(caused).toBe(1);
  });

  test("7. invented client ids and headers that cannot verify cause no read at all", async () => {
    const signer = await createSigner(owner);
    const otherSecret = clientIds(webCryptoRandom.bytes(32)).create(webCryptoRandom);
    const caused = await readsFor(async () => {
      for (const clientId of [otherSecret, "client_x", "", `client_${crypto.randomUUID()}`]) {
        expect(await ask({ ...signer, clientId }, "198.51.100.4")).toMatchObject(refusal("invalid client"));
      }
      for (const header of [{ alg: "none" }, { alg: "HS256" }, { crit: [] }, { kid: 1 }]) {
        expect(await ask(signer, "198.51.100.4", header)).toMatchObject(refusal("invalid JWT signature"));
      }
    });
    expect(caused).toBe(0);
  });

  test("7. the id of a deleted client causes a bounded number of reads", async () => {
    const signer = await createSigner(owner);
    expect((await manage(owner, "DELETE", `/api-clients/${signer.clientId}`)).status).toBe(204);
    const start = Date.now();
    const caused = await readsFor(async () => {
      for (let i = 0; i < ATTEMPTS; i++) {
        expect(await ask(signer, "198.51.100.5")).toMatchObject(refusal("invalid client"));
      }
    });
    expect(caused).toBeLessThanOrEqual(1 + allowedSince(start));
  });

  test("8. a revoked key and a deleted client are refused at once by an isolate whose caches still know them", async () => {
    for (const end of ["revoke", "delete"]) {
      const signer = await createSigner(owner);
      expect((await ask(signer, "203.0.113.6")).status).toBe(200);
      const stale = await eventually(
        () => cache.get(keyOf(signer)),
        (kept) => kept !== null,
      );
      const path = `/api-clients/${signer.clientId}`;
      const revoked = `${path}/key-pairs/${signer.key.keyPairId}/revoke`;
      await (await (end === "revoke" ? manage(owner, "POST", revoked) : manage(owner, "DELETE", path))).body?.cancel();
      // As in an isolate far away, which the change has not reached.
      await cache.put(keyOf(signer), stale ?? "");
      const description = end === "revoke" ? "invalid JWT signature" : "invalid client";
      for (let i = 0; i < 32; i++) {
        expect(await ask(signer, "203.0.113.6")).toMatchObject(refusal(description));
      }
    }
  });
});

interface KeyValues {
  get(key: string): Promise<string | null>;
  put(key: string, value: string): Promise<void>;
}

const PUBLIC_URL = "https://us.example";

function keyOf({ clientId }: Signer): string {
  return `verification/2/${clientId}`;
}
