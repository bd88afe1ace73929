import { statSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { sqlStores } from "../../../lib/stores/sql/stores.ts";
import { resultCode, SQLITE_FULL } from "../sqlite/busy.ts";
import type { GroupCommit, GroupCommitOptions } from "../sqlite/group-commit.ts";
import { cleaning } from "../sqlite/housekeeping.ts";
import { openSqlite } from "../sqlite/open.ts";
import { diskReserve } from "../sqlite/reserve.ts";
import { startCheckpoints } from "./checkpoints.ts";
import { type Keeping, watchKeeping } from "./keeping.ts";
import type { Client, ThreadCall, ThreadData, ThreadRequest, ThreadResult } from "./messages.ts";
import { serveOthers } from "./socket.ts";

/**
 * The thread that `openStoreThread` starts: it carries out calls on the store and answers when they are durable. What the
 * store cannot keep is an answer as well: no failure of the disk ends the thread.
 */
function serve(data: ThreadData, port: NonNullable<typeof parentPort>): void {
  const own: Client = { send: (message) => port.postMessage(message) };
  const answerOwn = inBatches(own);
  let keeps: Keeping = { kept: true };
  const tellAll = (change: Keeping): void => {
    keeps = change;
    own.send(change);
    others?.tell(change);
  };

  let store: { readonly executor: GroupCommit; readonly ports: Readonly<Record<string, unknown>> } | undefined;
  let unopened: unknown;
  const open = (): NonNullable<typeof store> => {
    // A deleted row changes about half the pages of a write.
    const deleted = (rows: number): void => checkpoints.committed(rows / 2);
    store ??= openStore(data, { failed: keeping.failed, committed }, deleted);
    return store;
  };
  const committed = (writes: number): void => {
    checkpoints.committed(writes);
    keeping.committed();
  };
  const checkpoints = startCheckpoints(data, {
    finish: () => store?.executor.checkpoint(),
    failed: (e) => keeping.failed(e),
  });
  const keeping = watchKeeping({
    reserve: diskReserve(data.folder),
    size: () => storeSize(data.folder),
    compact: () => compact(store?.executor),
    // Writes the first page as it is.
    probe: () => open().executor.write((db) => db.run("PRAGMA user_version = 0")),
    changed: tellAll,
  });
  try {
    open();
  } catch (error) {
    // Tried again by the probe, and not by each call: every attempt may wait for a lock.
    unopened = error;
    keeping.failed(error);
  }
  void keeping.start();

  const carryOut = async (
    { id, port: name, operation, args }: ThreadCall,
    answer: (result: ThreadResult) => void,
  ): Promise<void> => {
    try {
      if (store === undefined) throw unopened;
      if (name !== CLEANING && !keeping.admits(name, operation)) throw full();
      answer({ id, value: await operationOf(store.ports, name, operation)(...args) });
    } catch (error) {
      answer({ id, error, code: resultCode(error) });
    }
  };

  const others =
    data.socket === undefined
      ? undefined
      : serveOthers(data.socket, (client) => {
          if (!keeps.kept) client.send(keeps);
          const answer = inBatches(client);
          return (call) => carryOut(call, answer);
        });

  port.on("message", (request: ThreadRequest) => {
    if ("calls" in request) {
      for (const call of request.calls) void carryOut(call, answerOwn);
      return;
    }
    others?.close();
    keeping.stop();
    store?.executor.close();
    // Answers of the last commit are on their way when the port closes.
    void checkpoints.close().then(() => port.close());
  });
}

/** What one commit settles is settled before the microtask runs, so that it goes back in one message. */
function inBatches({ send }: Client): (result: ThreadResult) => void {
  let results: ThreadResult[] = [];
  const post = (): void => {
    const batch = results;
    results = [];
    send(batch);
  };
  return (result) => {
    if (results.length === 0) queueMicrotask(post);
    results.push(result);
  };
}

const CLEANING = "cleaning";

function openStore({ folder }: ThreadData, options: GroupCommitOptions, deleted: (rows: number) => void) {
  const executor = openSqlite(folder, options);
  const ports: Readonly<Record<string, unknown>> = {
    ...sqlStores(executor, systemClock),
    [CLEANING]: cleaning(executor, systemClock, deleted),
  };
  return { executor, ports };
}

function full(): Error {
  return Object.assign(new Error("the disk is full: only what ends something is still written"), {
    errcode: SQLITE_FULL,
  });
}

function storeSize(folder: string): number {
  const sizes = ["countersign.db", "countersign.db-wal"].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The log may be many times larger than what is in it. */
function compact(executor: GroupCommit | undefined): void {
  try {
    executor?.compact();
  } catch {
    // There is still less room than that takes; nothing was lost.
  }
}

type Operation = (...args: readonly unknown[]) => Promise<unknown>;

function operationOf(ports: Readonly<Record<string, unknown>>, port: string, name: string): Operation {
  const operation = (ports[port] as Readonly<Record<string, Operation>> | undefined)?.[name];
  if (operation === undefined) throw new Error(`The store's thread has no operation ${port}.${name}.`);
  return operation;
}

if (parentPort === null) throw new Error("This module runs as a worker thread only.");
serve(workerData as ThreadData, parentPort);
