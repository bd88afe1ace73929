import { Worker } from "node:worker_threads";
import type { ThreadData } from "./messages.ts";

/** Writes after which the log is copied: some five pages each. */
const WRITES = 1_000;
/** An idle thread holds some twenty megabytes: it ends when nothing was to be copied for so long, milliseconds. */
const IDLE = 60_000;

interface Checkpoints {
  /** To be told after each commit how many writes were in it. */
  committed(writes: number): void;
  close(): Promise<void>;
}

/**
 * Has the write-ahead log copied into the database by a thread of its own, so that no commit waits for it. The thread is
 * there while there is something to do.
 * @param finish copies what little that thread left: only without it can the log begin anew
 */
export function startCheckpoints(data: ThreadData, finish: () => void, idleTime = IDLE): Checkpoints {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let writes = 0;
  let copying = false;

  const start = (): Worker => {
    const started = new Worker(new URL("./checkpointer.ts", import.meta.url), { workerData: data });
    started.on("message", () => {
      copying = false;
      idle = setTimeout(end, idleTime).unref();
      finish();
    });
    return started;
  };
  const end = (): void => {
    worker?.postMessage("end");
    worker = undefined;
  };
  return {
    committed: (more) => {
      writes += more;
      if (copying || writes < WRITES) return;
      writes = 0;
      copying = true;
      clearTimeout(idle);
      worker ??= start();
      worker.postMessage("copy");
    },
    close: async () => {
      clearTimeout(idle);
      worker?.removeAllListeners("message");
      await worker?.terminate();
    },
  };
}
