import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { sqlStores } from "../../../lib/stores/sql/stores.ts";
import { resultCode } from "../sqlite/busy.ts";
import { cleaning } from "../sqlite/housekeeping.ts";
import { openSqlite } from "../sqlite/open.ts";
import { startCheckpoints } from "./checkpoints.ts";
import type { ThreadCall, ThreadData, ThreadRequest, ThreadResult } from "./messages.ts";

/** The thread that `openStoreThread` starts: it carries out calls on the store and answers when they are durable. */
function serve(data: ThreadData, port: NonNullable<typeof parentPort>): void {
  const checkpoints = startCheckpoints(data, () => executor.checkpoint());
  const executor = openSqlite(data.folder, { committed: checkpoints.committed });
  const ports: Readonly<Record<string, unknown>> = {
    ...sqlStores(executor, systemClock),
    cleaning: cleaning(executor, systemClock),
  };
  let results: ThreadResult[] = [];

  const answer = (result: ThreadResult): void => {
    // What one commit settles is settled before this microtask runs, so that it goes back in one message.
    if (results.length === 0) queueMicrotask(post);
    results.push(result);
  };
  const post = (): void => {
    const batch = results;
    results = [];
    port.postMessage(batch);
  };
  const carryOut = async ({ id, port: name, operation, args }: ThreadCall): Promise<void> => {
    try {
      answer({ id, value: await operationOf(ports, name, operation)(...args) });
    } catch (error) {
      answer({ id, error, code: resultCode(error) });
    }
  };

  port.on("message", (request: ThreadRequest) => {
    if ("calls" in request) {
      for (const call of request.calls) void carryOut(call);
      return;
    }
    executor.close();
    // Answers of the last commit are on their way when the port closes.
    void checkpoints.close().then(() => port.close());
  });
}

type Operation = (...args: readonly unknown[]) => Promise<unknown>;

function operationOf(ports: Readonly<Record<string, unknown>>, port: string, name: string): Operation {
  const operation = (ports[port] as Readonly<Record<string, Operation>> | undefined)?.[name];
  if (operation === undefined) throw new Error(`The store's thread has no operation ${port}.${name}.`);
  return operation;
}

if (parentPort === null) throw new Error("This module runs as a worker thread only.");
serve(workerData as ThreadData, parentPort);
