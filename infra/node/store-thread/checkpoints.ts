import { Worker } from "node:worker_threads";
import { type CopyOutcome, type ThreadData, withCode } from "./messages.ts";

/** Writes after which the log is copied: some five pages each. */
const WRITES = 1_000;
/** An idle thread holds some five megabytes: it ends when nothing was to be copied for so long, milliseconds. */
const IDLE = 60_000;
/**
 * What the thread may have, megabytes. It runs one statement. By default V8 reserves 590 MB of addresses for a thread, and
 * ends the process where it does not get them: a server with little memory must not die of a thread that starts late.
 */
const ENOUGH = { codeRangeSizeMb: 8, maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

interface Checkpoints {
  /** To be told after each commit how many writes were in it. */
  committed(writes: number): void;
  close(): Promise<void>;
}

export interface CheckpointOptions {
  /** Copies what the thread left: only without it can the log begin anew. */
  readonly finish: () => void;
  /** Told why the log could not be copied. It is tried again after more writes. */
  readonly failed: (error: unknown) => void;
  /** Milliseconds without anything to copy after which the thread ends. */
  readonly idleTime?: number;
}

/**
 * Has the write-ahead log copied into the database by a thread of its own, so that no commit waits for it. The thread is
 * there while there is something to do.
 */
export function startCheckpoints(data: ThreadData, options: CheckpointOptions): Checkpoints {
  const { finish, failed, idleTime = IDLE } = options;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let writes = 0;
  let copying = false;

  const start = (): Worker => {
    const started = new Worker(new URL("./checkpointer.ts", import.meta.url), {
      workerData: data,
      resourceLimits: ENOUGH,
    });
    started.on("message", (outcome: CopyOutcome) => {
      copying = false;
      idle = setTimeout(end, idleTime).unref();
      if (outcome !== "copied") return failed(withCode(outcome));
      try {
        finish();
      } catch (error) {
        failed(error);
      }
    });
    // The thread could not open the database, for example. The next copy starts another one.
    started.on("error", (error) => {
      copying = false;
      if (worker === started) worker = undefined;
      failed(error);
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
