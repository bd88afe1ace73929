import { Worker } from "node:worker_threads";
import { stackOf } from "../../../lib/logging/cause.ts";
import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";
import { isPassing } from "../sqlite/busy.ts";
import type { Keeping } from "./keeping.ts";
import {
  type ThreadCall,
  type ThreadData,
  type ThreadMessage,
  type ThreadRequest,
  type ThreadResult,
  withCode,
} from "./messages.ts";

export interface ThreadCalls {
  /** Rejects with what the operation threw, with `StoreUnavailableError` when that goes away by itself or the thread has ended. */
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

/** Between the end of a thread that nobody ended and the start of the next, milliseconds. */
const RESTART_DELAY = 1_000;

/**
 * What the thread may have for objects that are new, megabytes. By default V8 lets that grow beyond a hundred. Arguments and
 * results live for one commit: they need no more (D191).
 */
const YOUNG_GENERATION = 24;

export interface CallsOptions {
  /** Told of each change of whether what is written is kept, and by what it fails. */
  readonly changed: (keeping: Keeping) => void;
}

/** The way to whoever carries out calls. */
export interface Link {
  send(request: ThreadRequest): void;
}

/** What a link tells. `ended` once, by what: nothing comes behind it. */
export interface LinkEvents {
  received(message: ThreadMessage): void;
  ended(cause: unknown): void;
}

/**
 * Starts the store's thread and numbers the calls to it. If an error escapes the thread, all calls to it reject and another
 * one is started: the process goes on.
 */
export function startThread(data: ThreadData, options: CallsOptions): ThreadCalls {
  return startCalls((events) => threadLink(data, events), options);
}

function threadLink(data: ThreadData, { received, ended }: LinkEvents): Link {
  let cause: unknown = new Error("the store's thread has ended");
  const worker = new Worker(new URL("./thread.ts", import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
  });
  worker.on("message", received);
  worker.on("error", (error) => {
    cause = error;
  });
  worker.once("exit", () => ended(cause));
  return { send: (request) => worker.postMessage(request) };
}

/** The same by any link: a new one is opened where one ended. */
export function startCalls(open: (events: LinkEvents) => Link, { changed }: CallsOptions): ThreadCalls {
  const pending = new Map<number, Pending>();
  const ended = Promise.withResolvers<void>();
  let next = 0;
  let batch: ThreadCall[] = [];
  let closed = false;
  let link: Link | undefined;
  let restart: NodeJS.Timeout | undefined;

  const receive = (message: ThreadMessage): void => {
    if ("kept" in message) changed(message);
    else settle(message);
  };
  const settle = (results: readonly ThreadResult[]): void => {
    for (const result of results) {
      const call = pending.get(result.id);
      pending.delete(result.id);
      if ("error" in result) call?.reject(whole(result));
      else call?.resolve(result.value);
    }
  };
  const start = (): void => {
    link = open({ received: receive, ended: end });
  };
  const end = (cause: unknown): void => {
    link = undefined;
    for (const { reject } of pending.values()) reject(new StoreUnavailableError(cause));
    pending.clear();
    if (closed) {
      ended.resolve();
      return;
    }
    changed({ kept: false, reason: stackOf(cause) });
    restart = setTimeout(() => {
      start();
      // It says so when it is not.
      changed({ kept: true });
    }, RESTART_DELAY);
  };
  const flush = (): void => {
    const calls = batch;
    batch = [];
    if (link !== undefined && calls.length > 0) link.send({ calls });
    else refuse(calls);
  };
  const refuse = (calls: readonly ThreadCall[]): void => {
    for (const { id } of calls) {
      pending.get(id)?.reject(new StoreUnavailableError("its thread is being started"));
      pending.delete(id);
    }
  };
  start();

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
      clearTimeout(restart);
      if (!closed) {
        closed = true;
        flush();
        if (link === undefined) ended.resolve();
        link?.send({ close: true });
      }
      await ended.promise;
    },
  };
}

function whole(result: Extract<ThreadResult, { readonly error: unknown }>): unknown {
  const thrown = withCode(result);
  return isPassing(thrown) ? new StoreUnavailableError(thrown) : thrown;
}
