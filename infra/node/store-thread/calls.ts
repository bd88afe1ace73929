import { Worker } from "node:worker_threads";
import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";
import { isBusy } from "../sqlite/busy.ts";
import type { ThreadCall, ThreadData, ThreadRequest, ThreadResult } from "./messages.ts";

export interface ThreadCalls {
  /** Rejects with what the operation threw, with `StoreUnavailableError` on a lock of another process, or when the thread has ended. */
  call(port: string, operation: string, args: readonly unknown[]): Promise<unknown>;
  /** Commits what was called and ends the thread; later calls reject. */
  close(): Promise<void>;
}

/** Calls that are not kept waiting for others of the same turn: while they are committed, those come together. */
const BATCH = 6;

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Starts the store's thread and numbers the calls to it. An error that escapes the thread is uncaught in this process
 * too, which ends it: nothing can be stored any more.
 */
export function startThread(data: ThreadData): ThreadCalls {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData: data });
  const pending = new Map<number, Pending>();
  let next = 0;
  let batch: ThreadCall[] = [];
  let closed = false;

  const send = (request: ThreadRequest): void => worker.postMessage(request);
  const flush = (): void => {
    const calls = batch;
    batch = [];
    if (calls.length > 0) send({ calls });
  };
  worker.on("message", (results: readonly ThreadResult[]) => {
    for (const result of results) {
      const call = pending.get(result.id);
      pending.delete(result.id);
      if ("error" in result) call?.reject(whole(result));
      else call?.resolve(result.value);
    }
  });
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      closed = true;
      for (const { reject } of pending.values()) reject(new Error("The store's thread has ended."));
      pending.clear();
      resolve();
    });
  });

  return {
    call: (port, operation, args) => {
      if (closed) return Promise.reject(new Error("The store is closed."));
      return new Promise((resolve, reject) => {
        const id = next++;
        pending.set(id, { resolve, reject });
        if (batch.length === 0) setImmediate(flush);
        batch.push({ id, port, operation, args });
        if (batch.length === BATCH) flush();
      });
    },
    close: async () => {
      if (!closed) {
        closed = true;
        flush();
        send({ close: true });
      }
      await ended;
    },
  };
}

/** The error as it was thrown in the thread. */
function whole({ error, code }: Extract<ThreadResult, { readonly error: unknown }>): unknown {
  const thrown = error instanceof Error && code !== undefined ? Object.assign(error, { errcode: code }) : error;
  return isBusy(thrown) ? new StoreUnavailableError(thrown) : thrown;
}
