import { Worker } from "node:worker_threads";
import type { ThreadData } from "./messages.ts";

/** Writes after which the log is copied: some five pages each. */
const WRITES = 1_000;

export interface Checkpoints {
  /** To be told after each commit how many writes were in it. */
  committed(writes: number): void;
  close(): Promise<void>;
}

/**
 * Has the write-ahead log copied into the database by a thread of its own, so that no commit waits for it.
 * @param finish copies what little that thread left: only without it can the log begin anew
 */
export function startCheckpoints(data: ThreadData, finish: () => void): Checkpoints {
  const worker = new Worker(new URL("./checkpointer.ts", import.meta.url), { workerData: data });
  let writes = 0;
  let copying = false;
  worker.on("message", () => {
    copying = false;
    finish();
  });
  return {
    committed: (more) => {
      writes += more;
      if (copying || writes < WRITES) return;
      writes = 0;
      copying = true;
      worker.postMessage("copy");
    },
    close: async () => {
      worker.removeAllListeners("message");
      await worker.terminate();
    },
  };
}
