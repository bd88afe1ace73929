import type { WorkerHandle } from "wrangler";
import type { Stores } from "../../../lib/stores/stores.ts";
import { workerHarness } from "../../infra-cloudflare/support/harness.ts";
import { remoteStores } from "./remote-stores.ts";

export interface OpenDurableObjects {
  readonly stores: Stores;
  /** Ends every object; what it kept in memory is gone, what it stored stays. */
  evict(): Promise<void>;
  readonly worker: WorkerHandle;
  /** Lines that the objects logged. */
  logs(): readonly string[];
  close(): Promise<void>;
}

/** Durable Objects and KV as wrangler runs them, reached through the Worker of this folder. */
export async function openDurableObjects(): Promise<OpenDurableObjects> {
  const harness = workerHarness({ region: "us", main: "test/support/stores-worker/worker.ts" });
  await harness.listen();
  const worker = harness.getWorker();
  return {
    stores: remoteStores((path, body) => worker.fetch(path, { method: "POST", body })),
    worker,
    logs: () => harness.getLogs().map(({ message }) => message),
    evict: () => evictAll(worker),
    close: () => harness.close(),
  };
}

async function evictAll(worker: WorkerHandle): Promise<void> {
  for (const binding of ["REGISTRY", "TOKEN_SHARDS", "AUDIT_SHARDS", "MCP_SESSIONS"]) {
    for (const id of await worker.listDurableObjectIds(binding)) {
      await worker.evictDurableObject(binding, { id }).catch(acceptIdle);
    }
  }
}

/** An object that has ended by itself needs no eviction. */
function acceptIdle(error: unknown): void {
  if (!String(error).includes("not currently running")) throw error;
}
