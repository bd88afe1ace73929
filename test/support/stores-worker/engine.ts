import type { WorkerHandle } from "wrangler";
import type { OpenStores, StoreEngine } from "../../contract/engine.ts";
import { workerHarness } from "../../infra-cloudflare/support/harness.ts";
import { remoteStores } from "./remote-stores.ts";

/** Durable Objects and KV of workerd, reached through the Worker of this folder. */
export const durableObjects: StoreEngine = { name: "Durable Objects", open: openDurableObjects };

export interface OpenDurableObjects extends OpenStores {
  /** Ends every object; what it kept in memory is gone, what it stored stays. */
  evict(): Promise<void>;
  reopen(): Promise<OpenStores["stores"]>;
  readonly worker: WorkerHandle;
  /** Lines that the objects logged. */
  logs(): readonly string[];
}

export async function openDurableObjects(): Promise<OpenDurableObjects> {
  const harness = workerHarness({ region: "us", main: "test/support/stores-worker/worker.ts" });
  await harness.listen();
  const worker = harness.getWorker();
  const stores = remoteStores((path, body) => worker.fetch(path, { method: "POST", body }));
  const evict = () => evictAll(worker);
  return {
    stores,
    worker,
    logs: () => harness.getLogs().map(({ message }) => message),
    evict,
    reopen: async () => {
      await evict();
      return stores;
    },
    close: () => harness.close(),
  };
}

async function evictAll(worker: WorkerHandle): Promise<void> {
  for (const binding of ["REGISTRY", "TOKEN_SHARDS", "AUDIT_SHARDS"]) {
    for (const id of await worker.listDurableObjectIds(binding)) {
      await worker.evictDurableObject(binding, { id }).catch(acceptIdle);
    }
  }
}

/** An object that has ended by itself needs no eviction. */
function acceptIdle(error: unknown): void {
  if (!String(error).includes("not currently running")) throw error;
}
